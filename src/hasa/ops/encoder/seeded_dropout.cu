#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/encoder/seeded_dropout_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kThreads = 256;

__global__ void factors_kernel(DropoutView dropout, float* out, std::int64_t count) {
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const EightDraws draws = philox(dropout.counter(group), dropout.key());
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (group * 8 + i < count) out[group * 8 + i] = draws[i] >= dropout.threshold ? dropout.scale : 0.0F;
  }
}

}  // namespace

void dropout_factors_cuda(const DropoutView& dropout, float* out, std::int64_t count, void* stream) {
  const std::int64_t groups = (count + 7) / 8;
  launch(factors_kernel, {blocks_for(groups, kThreads), kThreads}, stream, dropout, out, count);
}

}  // namespace hasa::kernels
