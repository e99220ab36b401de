#pragma once

#include "hasa/model/scorer.h"

namespace hasa {

/// Scores an entity by how often it answered.
class PopularityScorer : public Scorer {
 public:
  /// counts [rows, entities] float32: a row for each directed relation, or one row for all.
  explicit PopularityScorer(torch::Tensor counts) : counts_(std::move(counts)) {}

  std::int64_t num_entities() const override { return counts_.size(1); }
  torch::Device device() const override { return counts_.device(); }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  torch::Tensor counts_;
};

/// How often each entity is the answer of each directed relation among the triples, [2 relations, entities] float32.
torch::Tensor answer_counts(std::span<const Triple> triples, std::int64_t entities, std::int64_t relations);

}  // namespace hasa
