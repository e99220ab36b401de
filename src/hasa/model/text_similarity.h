#pragma once

#include "hasa/model/scorer.h"

namespace hasa {

/// The plainest baseline: entities are ranked by how alike their text is to the head's. The relation is
/// not even read.
class TextSimilarity : public Scorer {
 public:
  /// embeddings [entities, hidden], unit rows.
  explicit TextSimilarity(torch::Tensor embeddings) : embeddings_(std::move(embeddings)) {}

  const torch::Tensor& entities() const override { return embeddings_; }
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor&) const override {
    return embeddings_.index_select(0, heads);
  }

 private:
  torch::Tensor embeddings_;
};

}  // namespace hasa
