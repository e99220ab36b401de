#include <queue>

#include "hasa/ops/graph/path_batch.h"

namespace hasa {

torch::Tensor path_distances_reference(const PathGraph& graph, const torch::Tensor& heads) {
  const PathGraph here = graph.to(torch::kCPU);
  const auto* offsets = here.offsets.const_data_ptr<std::int32_t>();
  const auto* edges = here.edges.const_data_ptr<std::int32_t>();
  torch::Tensor distances = torch::full({here.entities(), heads.size(0)}, -1, torch::kInt64);
  for (std::int64_t q = 0; q < heads.size(0); ++q) {
    std::queue<std::int64_t> waiting;
    const auto head = heads[q].item<std::int64_t>();
    distances[head][q] = 0;
    waiting.push(head);
    while (!waiting.empty()) {
      const std::int64_t from = waiting.front();
      waiting.pop();
      // An edge and its twin go both ways, so those that reach an entity are those it reaches.
      for (std::int32_t k = offsets[from]; k < offsets[from + 1]; ++k) {
        const std::int64_t to = edges[2 * k];
        if (distances[to][q].item<std::int64_t>() >= 0) continue;
        distances[to][q] = distances[from][q] + 1;
        waiting.push(to);
      }
    }
  }
  return distances;
}

}  // namespace hasa
