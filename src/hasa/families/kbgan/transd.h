#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "hasa/model/scorer.h"
#include "hasa/nn/named_tensor.h"

namespace hasa {

/// TransD: an entity e has a vector and a projection vector e', a relation r likewise, and for r an entity stands at
///
///   e_r = e + (e' . e) r',   score(h, r, t) = -|h_r + r - t_r|
///
/// the L2 norm. (?, r, t) uses the relation's own vectors.
class TransD {
 public:
  /// Vectors are drawn from torch's CPU generator.
  TransD(std::int64_t dim, std::int64_t entities, std::int64_t relations, const torch::Device& device);

  /// Of candidates [n, c] for the heads and directed relations of n triples -> [n, c]. Differentiable in the tables.
  torch::Tensor scores(const torch::Tensor& heads, const torch::Tensor& directed,
                       const torch::Tensor& candidates) const;

  const torch::Tensor& entities() const { return entities_; }
  NamedTensors parameters() const;

  /// For ranking: by the negative squared distance, which gives the same ranks and is a dot product. With q = h_r + r
  /// and a = e' . e it is
  ///
  ///   -|q - e - a r'|^2 = [2q, -2r', 2 q.r', -|r'|^2, 1, -|q|^2] . [e, a e, a, a^2, -|e|^2, 1]
  std::unique_ptr<VectorScorer> scorer() const;

 private:
  friend class TransDScorer;
  torch::Tensor at_relation(const torch::Tensor& entities, const torch::Tensor& relations) const;
  /// h_r + r, or t_r - r for head prediction: [n, dim].
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& directed) const;

  std::int64_t num_relations_;
  torch::Tensor entities_, entity_projections_;     // [entities, dim]
  torch::Tensor relations_, relation_projections_;  // [relations, dim]
};

}  // namespace hasa
