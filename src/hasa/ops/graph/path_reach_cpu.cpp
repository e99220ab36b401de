#include <ATen/Parallel.h>

#include "hasa/ops/graph/path_reach_kernels.h"

namespace hasa::kernels {

void reach_step_cpu(const ReachView& view, std::uint8_t step) {
  at::parallel_for(0, view.entities, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      std::uint8_t* row = view.after + v * view.queries;
      for (std::int32_t k = view.offsets[v]; k < view.offsets[v + 1]; ++k) {
        const std::int32_t u = view.edges[2 * k];
        if (u < 0) continue;
        const std::uint8_t* from = view.before + u * view.queries;
        for (std::int64_t q = 0; q < view.queries; ++q)
          row[q] = row[q] == kUnsetDistance && from[q] != kUnsetDistance ? step : row[q];
      }
    }
  });
}

}  // namespace hasa::kernels
