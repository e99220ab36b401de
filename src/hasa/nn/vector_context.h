#pragma once

#include <torch/types.h>

#include <vector>

#include "hasa/nn/linear.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/ops/graph/relational_mean.h"

namespace hasa {

/// What an entity's neighbours add to its vector, without reading their words again:
///
///   x <- LayerNorm(x + dropout(GELU(mean over the entity's edges (r, n) of (W x_n) * rho_r)))
///
/// once for each layer; rho is a learned vector for each relation and direction. There is no parameter for an
/// entity: a new one comes in with its vector and its edges.
class VectorContext {
 public:
  VectorContext() = default;
  VectorContext(std::int64_t layers, std::int64_t dim, std::int64_t directed_relations, double dropout);

  /// x [entities, dim] -> [entities, dim]. keep: as in relational_mean. Dropout while `training`.
  torch::Tensor operator()(torch::Tensor x, const RelationalEdges& edges, const torch::Tensor& keep,
                           bool training) const;

  /// What each layer begins with, [entities, dim]: what entities that come later hear of these.
  std::vector<torch::Tensor> before_layers(torch::Tensor x, const RelationalEdges& edges) const;
  /// Edges from new entities to those of a graph: [edges] each.
  struct NewEdges {
    torch::Tensor entity;     // row of x
    torch::Tensor relation;   // directed
    torch::Tensor neighbour;  // of the graph
  };
  /// Vectors of new entities, x [new, dim] -> [new, dim]. Those of the graph do not hear of them.
  torch::Tensor of_new(torch::Tensor x, const std::vector<torch::Tensor>& before_layers, const NewEdges& edges) const;

  NamedTensors parameters() const;

 private:
  struct Layer {
    Linear neighbour;
    torch::Tensor relation;  // [2R, dim]
    LayerNorm norm;
  };
  std::vector<Layer> layers_;
  double dropout_ = 0;
};

}  // namespace hasa
