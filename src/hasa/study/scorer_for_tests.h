#pragma once

// A scorer that the tests of this folder share; never included by the library.

#include <ATen/ops/from_blob.h>

#include <vector>

#include "hasa/model/scorer.h"

namespace hasa::testing {

/// Scores made of the ids alone, so that a test can compute them too.
class FormulaScorer : public Scorer {
 public:
  explicit FormulaScorer(EntityId entities) : entities_(entities) {}
  static float score(const Query& query, EntityId entity) {
    return static_cast<float>((query.given * 7 + query.relation * 3 + entity * 5) % 11) / 4;
  }

  std::int64_t num_entities() const override { return entities_; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    std::vector<float> values;
    for (const Query& query : queries) {
      for (EntityId e = 0; e < entities_; ++e) values.push_back(score(query, e));
    }
    return at::from_blob(values.data(), {std::ssize(queries), entities_}, torch::kFloat32).clone();
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  EntityId entities_;
};

}  // namespace hasa::testing
