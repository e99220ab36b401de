#include <cuda_fp8.h>

#include "hasa/ops/cuda_rows.cuh"
#include "hasa/ops/float8_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kThreads = 256;

template <__nv_fp8_interpretation_t kType>
__global__ void to_float8_kernel(const BFloat16* from, std::int64_t eights, const float* scale, std::uint64_t* to) {
  const float by = *scale;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < eights; i += stride) {
    float v[kEight];
    Eight<BFloat16>::load(from + i * kEight).unpack(v);
    std::uint64_t packed = 0;
#pragma unroll
    for (int pair = 0; pair < kEight / 2; ++pair) {
      const float2 both = {v[2 * pair] / by, v[2 * pair + 1] / by};
      packed |= static_cast<std::uint64_t>(__nv_cvt_float2_to_fp8x2(both, __NV_SATFINITE, kType)) << (16 * pair);
    }
    to[i] = packed;
  }
}

}  // namespace

void to_float8_cuda(const void* from, std::int64_t count, const float* scale, bool e5m2, void* to, void* stream) {
  const std::int64_t eights = count / kEight;
  if (eights == 0) return;
  const std::int64_t needed = (eights + kThreads - 1) / kThreads;
  const auto blocks = static_cast<unsigned>(needed < 4096 ? needed : 4096);
  const auto kernel = e5m2 ? to_float8_kernel<__NV_E5M2> : to_float8_kernel<__NV_E4M3>;
  kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<const BFloat16*>(from), eights, scale,
                                                                     static_cast<std::uint64_t*>(to));
}

}  // namespace hasa::kernels
