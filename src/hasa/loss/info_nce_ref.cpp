#include <limits>
#include <vector>

#include "hasa/loss/info_nce.h"

namespace hasa {

torch::Tensor info_nce_over_all_reference(const AllEntitiesBatch& batch, const InfoNceConfig& config) {
  const torch::Tensor queries = batch.queries.to(torch::kFloat64), entities = batch.entities.to(torch::kFloat64);
  const torch::Tensor scale = batch.scale.to(torch::kFloat64);
  torch::Tensor total = torch::zeros({}, torch::kFloat64);
  for (std::int64_t q = 0; q < queries.size(0); ++q) {
    const auto positive = batch.positive[q].item<std::int64_t>();
    std::vector<bool> is_negative(static_cast<std::size_t>(entities.size(0)), true);
    is_negative[static_cast<std::size_t>(positive)] = false;
    for (auto k = batch.excluded.offsets[q].item<std::int64_t>();
         k < batch.excluded.offsets[q + 1].item<std::int64_t>(); ++k) {
      is_negative[static_cast<std::size_t>(batch.excluded.ids[k].item<std::int64_t>())] = false;
    }
    std::vector<torch::Tensor> negatives;
    for (std::int64_t e = 0; e < entities.size(0); ++e) {
      if (is_negative[static_cast<std::size_t>(e)]) negatives.push_back(scale * torch::dot(queries[q], entities[e]));
    }
    if (negatives.empty()) continue;
    const torch::Tensor p = scale * torch::dot(queries[q], entities[positive]) - scale.detach() * config.margin;
    const torch::Tensor x = torch::logsumexp(torch::stack(negatives), 0) - p;
    // softplus written out: torch's own turns into the identity past a threshold.
    total = total + torch::logaddexp(x, torch::zeros_like(x));
  }
  return total / static_cast<double>(queries.size(0));
}

}  // namespace hasa
