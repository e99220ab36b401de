#include <algorithm>
#include <cmath>
#include <vector>

#include "hasa/ops/score/top_entities.h"

namespace hasa {

torch::Tensor top_entities_reference(const torch::Tensor& queries, const torch::Tensor& entities,
                                     const RaggedIds& excluded, std::int64_t k) {
  const torch::Tensor scores =
      torch::mm(queries.detach().to(torch::kFloat64), entities.detach().to(torch::kFloat64).t());
  torch::Tensor best = torch::full({queries.size(0), k}, -1, torch::kInt64);
  for (std::int64_t q = 0; q < queries.size(0); ++q) {
    std::vector<double> score(static_cast<std::size_t>(entities.size(0)));
    for (std::size_t e = 0; e < score.size(); ++e) score[e] = scores[q][static_cast<std::int64_t>(e)].item<double>();
    for (auto i = excluded.offsets[q].item<std::int64_t>(); i < excluded.offsets[q + 1].item<std::int64_t>(); ++i) {
      score[excluded.ids[i].item<std::int64_t>()] = std::nan("");
    }
    std::vector<std::int64_t> left;
    for (std::size_t e = 0; e < score.size(); ++e) {
      if (!std::isnan(score[e])) left.push_back(static_cast<std::int64_t>(e));
    }
    std::stable_sort(left.begin(), left.end(), [&](std::int64_t a, std::int64_t b) { return score[a] > score[b]; });
    for (std::int64_t i = 0; i < std::min<std::int64_t>(k, static_cast<std::int64_t>(left.size())); ++i) {
      best[q][i] = left[i];
    }
  }
  return best;
}

}  // namespace hasa
