#include <cuda_runtime.h>

#include "hasa/ops/draw_candidates_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kDrawThreads = 256;

__global__ void draw_kernel(DrawCandidates pass) {
  const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * kDrawThreads + threadIdx.x;
  if (cell < pass.queries * pass.columns) pass.out[cell] = candidate_of(pass, cell / pass.columns, cell % pass.columns);
}

}  // namespace

void draw_candidates_cuda(const DrawCandidates& pass, void* stream) {
  const std::int64_t cells = pass.queries * pass.columns;
  const auto blocks = static_cast<unsigned>((cells + kDrawThreads - 1) / kDrawThreads);
  draw_kernel<<<blocks, kDrawThreads, 0, static_cast<cudaStream_t>(stream)>>>(pass);
}

}  // namespace hasa::kernels
