#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hasa/ops/score/top_scores.h"

namespace hasa {

TopScores top_scores_reference(const torch::Tensor& scores, std::int64_t k) {
  TopScores top{torch::full({scores.size(0), k}, -1, torch::kInt64),
                torch::full({scores.size(0), k}, std::numeric_limits<float>::quiet_NaN())};
  for (std::int64_t q = 0; q < scores.size(0); ++q) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < scores.size(1); ++i) {
      if (!std::isnan(scores[q][i].item<float>())) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return scores[q][a].item<float>() > scores[q][b].item<float>();
    });
    for (std::int64_t i = 0; i < std::min<std::int64_t>(k, std::ssize(order)); ++i) {
      top.ids[q][i] = order[static_cast<std::size_t>(i)];
      top.scores[q][i] = scores[q][order[static_cast<std::size_t>(i)]];
    }
  }
  return top;
}

}  // namespace hasa
