#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hasa/families/star_ensemble/adaptive_weight.h"
#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// A text run's and a graph run's scores of some queries, [queries, entities] in [0, 1] each.
struct TwoScores {
  torch::Tensor text, graph;
};

/// Two runs, weighted for each query by their scores of its best candidates. For an entity
/// without training edges, of which the graph run knows nothing, only the text run is used.
class EnsembleScorer : public Scorer {
 public:
  EnsembleScorer(std::unique_ptr<Scorer> text, std::unique_ptr<Scorer> graph, const Graph& knowledge, std::int64_t top,
                 AdaptiveWeight weight);

  /// Number of candidates that weights are predicted from: at most the number of entities.
  std::int64_t top() const { return top_; }
  void set_weight(AdaptiveWeight weight) { weight_ = std::move(weight); }
  TwoScores both(std::span<const Query> queries) const;
  /// [queries]
  torch::Tensor alpha(const BestScores& best, std::span<const Query> queries) const;

  std::int64_t num_entities() const override { return text_->num_entities(); }
  torch::Device device() const override { return text_->device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  std::unique_ptr<Scorer> text_, graph_;
  std::vector<bool> has_edges_;  // of each entity, in training
  std::int64_t top_;
  AdaptiveWeight weight_;
};

}  // namespace hasa
