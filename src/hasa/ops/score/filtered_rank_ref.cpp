#include <unordered_set>

#include "hasa/ops/score/filtered_rank.h"

namespace hasa {

RankCounts rank_from_scores_reference(const torch::Tensor& scores, const torch::Tensor& targets,
                                      const IdRanges& known) {
  const auto zeros = [&] { return torch::zeros({scores.size(0)}, torch::kInt64); };
  RankCounts counts{zeros(), zeros(), zeros(), zeros()};
  for (std::int64_t q = 0; q < scores.size(0); ++q) {
    const auto target = targets[q].item<std::int64_t>();
    std::unordered_set<std::int64_t> answers;
    for (auto k = known.begin[q].item<std::int64_t>(); k < known.end[q].item<std::int64_t>(); ++k) {
      answers.insert(known.ids[k].item<std::int32_t>());
    }
    for (std::int64_t e = 0; e < scores.size(1); ++e) {
      if (e == target) continue;
      const bool is_known = answers.contains(e);
      const auto score = scores[q][e].item<float>(), reached = scores[q][target].item<float>();
      if (score > reached) (is_known ? counts.known_better : counts.better)[q] += 1;
      if (score == reached) (is_known ? counts.known_equal : counts.equal)[q] += 1;
    }
  }
  return counts;
}

}  // namespace hasa
