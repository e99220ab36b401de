#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/table/draw_candidates_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kDrawThreads = 256;

__global__ void draw_kernel(DrawCandidates pass) {
  const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * kDrawThreads + threadIdx.x;
  if (cell < pass.queries * pass.columns) pass.out[cell] = candidate_of(pass, cell / pass.columns, cell % pass.columns);
}

}  // namespace

void draw_candidates_cuda(const DrawCandidates& pass, void* stream) {
  launch(draw_kernel, {blocks_for(pass.queries * pass.columns, kDrawThreads), kDrawThreads}, stream, pass);
}

}  // namespace hasa::kernels
