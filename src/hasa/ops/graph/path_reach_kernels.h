#pragma once

#include <cstdint>

namespace hasa::kernels {

constexpr std::uint8_t kUnsetDistance = 255;

/// One step of the search from the heads: after[v, q] = step where before[v, q] is unset and an edge comes from a pair
/// that is set. The two hold the same otherwise.
struct ReachView {
  const std::int32_t *offsets, *edges, *groups, *parts;  // as in PathGraph
  std::int64_t entities, queries, num_parts;
  const std::uint8_t* before;  // [entities, queries]
  std::uint8_t* after;         // [entities, queries]
};

void reach_step_cpu(const ReachView& view, std::uint8_t step);
void reach_step_cuda(const ReachView& view, std::uint8_t step, void* stream);

}  // namespace hasa::kernels
