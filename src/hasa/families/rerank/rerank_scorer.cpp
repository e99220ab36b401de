#include "hasa/families/rerank/rerank_scorer.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "hasa/base/error.h"

namespace hasa {

RerankScorer::RerankScorer(std::unique_ptr<Scorer> first, std::unique_ptr<Scorer> second, std::int64_t top)
    : first_(std::move(first)), second_(std::move(second)), top_(std::min(top, first_->num_entities())) {
  HASA_CHECK(first_->num_entities() == second_->num_entities(), data,
             "the run of the shortlist scores {} entities, the one that re-ranks it {}", first_->num_entities(),
             second_->num_entities());
}

ScoringCost RerankScorer::cost() const {
  const ScoringCost first = first_->cost(), second = second_->cost();
  // The second reads the shortlist alone.
  const double share = static_cast<double>(top_) / static_cast<double>(std::max<std::int64_t>(1, num_entities()));
  constexpr std::int64_t kSorting = 3 * sizeof(std::int64_t);
  return {.bytes_per_query = std::max(first.bytes_per_query, second.bytes_per_query) + kSorting * num_entities(),
          .block = first.block,
          .seconds_per_query = first.seconds_per_query + share * second.seconds_per_query,
          .tokens_per_query = first.tokens_per_query + share * second.tokens_per_query,
          .flops_per_token = std::max(first.flops_per_token, second.flops_per_token)};
}

torch::Tensor RerankScorer::scores(std::span<const Query> queries) const {
  const at::NoGradGuard no_gradients;
  torch::Tensor scores = first_->scores(queries);
  const auto [sorted, order] = scores.sort(/*stable=*/true, /*dim=*/1, /*descending=*/true);
  const torch::Tensor shortlist = order.narrow(1, 0, top_).contiguous();
  const torch::Tensor anew = second_->scores_of(queries, shortlist);
  const torch::Tensor lowest = std::get<0>(anew.min(1, /*keepdim=*/true));
  return scores.scatter(1, shortlist, sorted.narrow(1, 0, 1) + 1 + (anew - lowest));
}

torch::Tensor RerankScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  return scores(queries).gather(1, candidates);
}

}  // namespace hasa
