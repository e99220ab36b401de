#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "hasa/model/query.h"
#include "hasa/ops/score/similarity.h"

namespace hasa {

/// The cost of answering, for planning: how many queries at a time, and how long they take.
struct ScoringCost {
  std::int64_t bytes_per_query = 0;  // workspace per query, besides a float32 score per entity
  std::int64_t block = 1;            // preferred batch size: multiples of this are fastest
  double seconds_per_query = 0;      // estimate for scores(); 0: negligible
  double tokens_per_query = 0;       // tokens a language model reads per query
  double flops_per_token = 0;        // of its matrix products
};

/// A trained model as evaluation, prediction and fusion see it: it scores
/// the candidates of a query, higher is better. How it computes scores
/// is its own affair. Everything here is const, without gradients, and thread-safe.
class Scorer {
 public:
  virtual ~Scorer() = default;

  virtual std::int64_t num_entities() const = 0;
  /// Where scores are computed and returned.
  virtual torch::Device device() const = 0;
  virtual ScoringCost cost() const = 0;

  /// Scores of all entities: [queries, entities] float32.
  virtual torch::Tensor scores(std::span<const Query> queries) const = 0;
  /// Scores of chosen candidates: candidates [queries, k] int64 on device() -> [queries, k] float32. Agrees with
  /// scores() within rounding only, so ranks must come from one of the two, never from both.
  virtual torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const = 0;
};

/// A scorer with a vector per entity and per query, whose
/// similarity is the score. Indexes and `hasa eval --embeddings` need one.
class VectorScorer : public Scorer {
 public:
  /// [entities, dim] float32
  virtual const torch::Tensor& entities() const = 0;
  /// [queries, dim] float32
  virtual torch::Tensor query_vectors(std::span<const Query> queries) const = 0;
  virtual Similarity similarity() const { return Similarity::dot; }

  /// Scores of query vectors against all entities, in true float32: [queries, entities].
  torch::Tensor scores_from(const torch::Tensor& query_vectors) const;

  std::int64_t num_entities() const override { return entities().size(0); }
  torch::Device device() const override { return entities().device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;
};

}  // namespace hasa
