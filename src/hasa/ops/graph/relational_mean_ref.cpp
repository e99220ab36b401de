#include <algorithm>
#include <vector>

#include "hasa/ops/graph/relational_mean.h"

namespace hasa {

torch::Tensor relational_mean_reference(const torch::Tensor& values, const torch::Tensor& weights,
                                        const RelationalEdges& edges, const torch::Tensor& keep) {
  const torch::Tensor v = values.to(torch::kFloat64), w = weights.to(torch::kFloat64);
  std::vector<torch::Tensor> rows;
  for (std::int64_t e = 0; e < edges.entities(); ++e) {
    torch::Tensor sum = torch::zeros({v.size(1)}, torch::kFloat64);
    std::int64_t count = 0;
    for (auto k = edges.offsets[e].item<std::int64_t>(); k < edges.offsets[e + 1].item<std::int64_t>(); ++k) {
      if (keep.defined() && !keep[edges.triple[k].item<std::int64_t>()].item<bool>()) continue;
      sum = sum + v[edges.neighbour[k].item<std::int64_t>()] * w[edges.relation[k].item<std::int64_t>()];
      ++count;
    }
    rows.push_back(sum / static_cast<double>(std::max<std::int64_t>(1, count)));
  }
  return rows.empty() ? torch::zeros_like(v) : torch::stack(rows);
}

}  // namespace hasa
