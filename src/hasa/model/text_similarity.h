#pragma once

#include "hasa/model/query_columns.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// The simplest baseline: entities are ranked by the similarity
/// of their text to the head's, ignoring the relation.
class TextSimilarity : public VectorScorer {
 public:
  /// embeddings [entities, hidden], unit rows.
  explicit TextSimilarity(torch::Tensor embeddings) : embeddings_(std::move(embeddings)) {}

  const torch::Tensor& entities() const override { return embeddings_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    return embeddings_.index_select(0, ids_of(queries, device()).given);
  }

 private:
  torch::Tensor embeddings_;
};

}  // namespace hasa
