#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/table/adagrad_step_kernels.h"
#include "hasa/ops/table/row_rule.h"

namespace hasa::kernels {
namespace {

constexpr int kStepThreads = 256;
constexpr int kEachThread = 4;  // loads under way together

__global__ __launch_bounds__(kStepThreads) void step_kernel(AdagradStep pass) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kStepThreads * kEachThread + threadIdx.x;
  float gradient[kEachThread], square[kEachThread], x[kEachThread];
#pragma unroll
  for (int k = 0; k < kEachThread; ++k) {
    const std::int64_t i = first + k * kStepThreads;
    if (i >= pass.count) continue;
    gradient[k] = pass.gradient[i];
    square[k] = pass.squares[i];
    x[k] = pass.x[i];
  }
#pragma unroll
  for (int k = 0; k < kEachThread; ++k) {
    const std::int64_t i = first + k * kStepThreads;
    if (i >= pass.count) continue;
    square[k] += gradient[k] * gradient[k];
    pass.squares[i] = square[k];
    pass.x[i] = x[k] * pass.shrink - pass.rate * (gradient[k] / (sqrtf(square[k]) + kRuleEpsilon));
  }
}

}  // namespace

void adagrad_step_cuda(const AdagradStep& pass, void* stream) {
  constexpr std::int64_t kOfBlock = std::int64_t{kStepThreads} * kEachThread;
  launch(step_kernel, {blocks_for(pass.count, kOfBlock), kStepThreads}, stream, pass);
}

}  // namespace hasa::kernels
