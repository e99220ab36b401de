#include "hasa/ops/graph/path_columns.cuh"
#include "hasa/ops/graph/path_reach_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kReachWarps = 8;

/// A warp for each part of a row and 32 queries. Parts of one row may write the same byte, and write the same into it.
__global__ void reach_kernel(ReachView view, std::int64_t tiles, std::uint8_t step) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kReachWarps + threadIdx.x / kWarpLanes;
  if (item >= view.num_parts * tiles) return;
  const std::int32_t* part = view.parts + 4 * (item / tiles);
  const std::int64_t q = item % tiles * kWarpLanes + threadIdx.x % kWarpLanes, v = part[0];
  if (part[1] == part[2]) return;
  const bool wanted = q < view.queries && view.before[v * view.queries + q] == kUnsetDistance;
  const std::int32_t begin = view.groups[4 * part[1]], end = view.groups[4 * (part[2] - 1) + 1];
  bool found = false;
  for (std::int32_t k = begin; k < end && !__all_sync(kAllLanes, found || !wanted); ++k) {
    const std::int32_t u = view.edges[2 * k];
    if (u >= 0 && wanted && view.before[u * view.queries + q] != kUnsetDistance) found = true;
  }
  if (found) view.after[v * view.queries + q] = step;
}

}  // namespace

void reach_step_cuda(const ReachView& view, std::uint8_t step, void* stream) {
  const std::int64_t tiles = (view.queries + kWarpLanes - 1) / kWarpLanes;
  if (view.num_parts * tiles == 0) return;
  launch(reach_kernel, {blocks_for(view.num_parts * tiles, kReachWarps), kReachWarps * kWarpLanes}, stream, view, tiles,
         step);
}

}  // namespace hasa::kernels
