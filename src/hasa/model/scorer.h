#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "hasa/model/query.h"
#include "hasa/ops/score/similarity.h"

namespace hasa {

/// What answering takes, so that whoever asks can plan: how many queries at a time, and how long it will be.
struct ScoringCost {
  std::int64_t bytes_per_query = 0;  // of workspace, beside a float32 score for each entity
  std::int64_t block = 1;            // queries are best handed over in multiples of this many
  double seconds_per_query = 0;      // estimated, for scores(); 0: not worth a word
  double tokens_per_query = 0;       // that a language model reads for it
  double flops_per_token = 0;        // of its matrix products
};

/// A trained model as evaluation, prediction and fusion see it: it gives scores, the greater the better, to the
/// entities that may answer a query. How it comes to them is its own affair. Nothing here changes or needs gradients;
/// all of it may be called from several threads.
class Scorer {
 public:
  virtual ~Scorer() = default;

  virtual std::int64_t num_entities() const = 0;
  /// Where scores are computed and returned.
  virtual torch::Device device() const = 0;
  virtual ScoringCost cost() const = 0;

  /// Of all entities: [queries, entities] float32.
  virtual torch::Tensor scores(std::span<const Query> queries) const = 0;
  /// Of chosen ones: candidates [queries, k] int64 on device() -> [queries, k] float32. Agrees with scores() within
  /// rounding only, so ranks are always taken from one of the two, never from both.
  virtual torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const = 0;
};

/// A scorer that has a vector for every entity and makes one for a query: their similarity is the score. This is what
/// an index and `hasa eval --embeddings` need.
class VectorScorer : public Scorer {
 public:
  /// [entities, dim] float32
  virtual const torch::Tensor& entities() const = 0;
  /// [queries, dim] float32
  virtual torch::Tensor query_vectors(std::span<const Query> queries) const = 0;
  virtual Similarity similarity() const { return Similarity::dot; }

  /// Of query vectors against all entities, in true float32: [queries, entities].
  torch::Tensor scores_from(const torch::Tensor& query_vectors) const;

  std::int64_t num_entities() const override { return entities().size(0); }
  torch::Device device() const override { return entities().device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;
};

}  // namespace hasa
