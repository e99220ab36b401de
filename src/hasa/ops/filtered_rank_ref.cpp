#include <unordered_set>

#include "hasa/ops/filtered_rank.h"

namespace hasa {

RankCounts rank_from_scores_reference(const torch::Tensor& scores, const torch::Tensor& targets,
                                      const RaggedIds& known) {
  RankCounts counts{torch::zeros({scores.size(0)}, torch::kInt64), torch::zeros({scores.size(0)}, torch::kInt64)};
  for (std::int64_t q = 0; q < scores.size(0); ++q) {
    const auto target = targets[q].item<std::int64_t>();
    std::unordered_set<std::int64_t> left_out{target};
    for (auto k = known.offsets[q].item<std::int64_t>(); k < known.offsets[q + 1].item<std::int64_t>(); ++k) {
      left_out.insert(known.ids[k].item<std::int64_t>());
    }
    for (std::int64_t e = 0; e < scores.size(1); ++e) {
      if (left_out.contains(e)) continue;
      if (scores[q][e].item<float>() > scores[q][target].item<float>()) counts.better[q] += 1;
      if (scores[q][e].item<float>() == scores[q][target].item<float>()) counts.equal[q] += 1;
    }
  }
  return counts;
}

}  // namespace hasa
