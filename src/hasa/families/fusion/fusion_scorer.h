#pragma once

#include <utility>
#include <vector>

#include "hasa/families/fusion/fusion_features.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// Each query's features times its weights: features [each [q, e]], weights [q, features] -> [q, e].
torch::Tensor weighed(const std::vector<torch::Tensor>& features, const torch::Tensor& weights);

/// The result of a fit, on the CPU.
struct FittedWeights {
  torch::Tensor all;      // [directed relations, features]
  torch::Tensor without;  // [parts, directed relations, features]: refitted without each part
};

/// Scores entities by a weighted sum of features from other runs and the training graph.
class FusionScorer : public Scorer {
 public:
  FusionScorer(FusionFeatures features, const FittedWeights& weights)
      : features_(std::move(features)),
        weights_{weights.all.to(features_.device()), weights.without.to(features_.device())} {}

  const FusionFeatures& features() const { return features_; }
  /// On device().
  const FittedWeights& weights() const { return weights_; }

  std::int64_t num_entities() const override { return features_.num_entities(); }
  torch::Device device() const override { return features_.device(); }
  ScoringCost cost() const override { return features_.cost(); }
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  FusionFeatures features_;
  FittedWeights weights_;
};

}  // namespace hasa
