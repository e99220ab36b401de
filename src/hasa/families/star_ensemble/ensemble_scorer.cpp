#include "hasa/families/star_ensemble/ensemble_scorer.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/train/host_tensor.h"

namespace hasa {

EnsembleScorer::EnsembleScorer(std::unique_ptr<Scorer> text, std::unique_ptr<Scorer> graph, const Graph& knowledge,
                               std::int64_t top, AdaptiveWeight weight)
    : text_(std::move(text)),
      graph_(std::move(graph)),
      has_edges_(static_cast<std::size_t>(knowledge.entities())),
      top_(std::min<std::int64_t>(top, text_->num_entities())),
      weight_(std::move(weight)) {
  HASA_CHECK(text_->device() == graph_->device(), unavailable,
             "the two runs of an ensemble are on different devices ({} and {})\nset device for both",
             text_->device().str(), graph_->device().str());
  for (const Triple& triple : knowledge.triples(Split::train)) {
    has_edges_[static_cast<std::size_t>(triple.head)] = true;
    has_edges_[static_cast<std::size_t>(triple.tail)] = true;
  }
}

TwoScores EnsembleScorer::both(std::span<const Query> queries) const {
  return {to_unit_range(text_->scores(queries)), to_unit_range(graph_->scores(queries))};
}

torch::Tensor EnsembleScorer::alpha(const BestScores& best, std::span<const Query> queries) const {
  std::vector<float> unseen;
  unseen.reserve(queries.size());
  for (const Query& query : queries) unseen.push_back(has_edges_[static_cast<std::size_t>(query.given)] ? 0.F : 1.F);
  const torch::Tensor text_alone = host_tensor(unseen, torch::kFloat32, device()).to(device());
  return torch::maximum(weight_.alpha(best), text_alone);
}

ScoringCost EnsembleScorer::cost() const {
  const ScoringCost text = text_->cost(), graph = graph_->cost();
  constexpr std::int64_t kMatrices = 5;  // both runs' scores, as they come and brought to [0, 1], and the sum
  return {.bytes_per_query = std::max(text.bytes_per_query, graph.bytes_per_query) +
                             kMatrices * static_cast<std::int64_t>(sizeof(float)) * num_entities(),
          .block = std::max(text.block, graph.block),
          .seconds_per_query = text.seconds_per_query + graph.seconds_per_query};
}

torch::Tensor EnsembleScorer::scores(std::span<const Query> queries) const {
  const TwoScores scores = both(queries);
  const torch::Tensor weight = alpha(BestScores::of(scores.text, scores.graph, top_), queries).unsqueeze(1);
  return scores.graph + weight * (scores.text - scores.graph);
}

}  // namespace hasa
