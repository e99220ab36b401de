#include "hasa/model/scorer.h"

#include <vector>

#include "hasa/ops/score/full_scores.h"

namespace hasa {
namespace {

/// Bytes of a query vector and of its inputs.
constexpr std::int64_t kBytesPerNumber = 16;

/// [q, d] and [q, k, d] -> [q, k]
torch::Tensor similarity_of(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity) {
  const torch::Tensor query = queries.unsqueeze(1);
  if (similarity == Similarity::dot) return (query * entities).sum(-1);
  const torch::Tensor difference = query - entities;
  switch (similarity) {
    case Similarity::negative_l1: return -difference.abs().sum(-1);
    case Similarity::negative_l2: return -difference.square().sum(-1).sqrt();
    default: break;
  }
  const std::vector<torch::Tensor> parts = difference.chunk(2, -1);  // real and imaginary
  return -(parts[0].square() + parts[1].square()).sqrt().sum(-1);
}

}  // namespace

ScoringCost VectorScorer::cost() const { return {.bytes_per_query = kBytesPerNumber * entities().size(1)}; }

torch::Tensor VectorScorer::scores_from(const torch::Tensor& query_vectors) const {
  return full_scores(query_vectors, entities(), similarity());
}

torch::Tensor VectorScorer::scores(std::span<const Query> queries) const { return scores_from(query_vectors(queries)); }

torch::Tensor VectorScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  const torch::Tensor chosen = entities().index_select(0, candidates.reshape(-1));
  return similarity_of(query_vectors(queries), chosen.view({candidates.size(0), candidates.size(1), -1}), similarity());
}

}  // namespace hasa
