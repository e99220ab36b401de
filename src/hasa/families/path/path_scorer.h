#pragma once

#include <memory>

#include "hasa/families/path/path_model.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// Scores queries by messages over all edges of a graph. Equal queries
/// are scored once. It shares the model's parameters: use it before they change.
class PathScorer : public Scorer {
 public:
  /// graph: on the model's device.
  PathScorer(const PathModel& model, PathGraph graph) : model_(model), graph_(std::move(graph)) {}

  const PathModel& model() const { return model_; }
  const PathGraph& graph() const { return graph_; }

  std::int64_t num_entities() const override { return graph_.entities(); }
  torch::Device device() const override { return model_.device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  /// As many as the workspace allows.
  std::int64_t queries_at_once() const;

  PathModel model_;
  PathGraph graph_;
};

}  // namespace hasa
