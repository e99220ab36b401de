#pragma once

#include <torch/types.h>

#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

/// The edges of a graph, each held twice: as (a, r, b) with r < R at entity a, and as its twin (b, r + R, a)
/// at entity b. Everything is int64 and on one device.
struct RelationalEdges {
  torch::Tensor offsets;    // [entities + 1]: the edges of entity e are offsets[e] .. offsets[e + 1]
  torch::Tensor relation;   // [edges] 0 .. 2R
  torch::Tensor neighbour;  // [edges]
  torch::Tensor triple;     // [edges] the triple an edge comes from: the same for an edge and its twin
  // The same edges in order of relation, for the gradient of the relation vectors.
  torch::Tensor by_relation;       // [edges] edge numbers
  torch::Tensor relation_offsets;  // [2R + 1]
  torch::Tensor source;            // [edges] the entity an edge belongs to

  std::int64_t entities() const { return offsets.size(0) - 1; }
  std::int64_t edges() const { return relation.size(0); }
  std::int64_t directed_relations() const { return relation_offsets.size(0) - 1; }
  RelationalEdges to(torch::Device device) const;
};

/// Every triple as an edge and its twin. heads, relations, tails: [triples] int64 on the CPU; ids in range.
RelationalEdges make_relational_edges(const torch::Tensor& heads, const torch::Tensor& relations,
                                      const torch::Tensor& tails, std::int64_t entity_count,
                                      std::int64_t relation_count);

/// The mean message of an entity's neighbours over the kept edges:
///
///   out[e] = 1 / max(1, #kept(e)) * sum over kept edges (r, n) of e of values[n] * weights[r]   (elementwise)
///
/// values [entities, d], weights [2R, d]: float32. keep: [triples] bool, or undefined to keep all; an edge and
/// its twin are kept together. An entity without kept edges gets zeros. Differentiable in values and weights.
/// Linear in edges x d, with no buffer of that size. On the CPU the result is the same for any number of
/// threads; on CUDA the gradient of weights is summed in no fixed order.
torch::Tensor relational_mean(const torch::Tensor& values, const torch::Tensor& weights, const RelationalEdges& edges,
                              const torch::Tensor& keep = {});

/// The obvious loop, in double, on the CPU; differentiable by autograd: the reference for tests.
torch::Tensor relational_mean_reference(const torch::Tensor& values, const torch::Tensor& weights,
                                        const RelationalEdges& edges, const torch::Tensor& keep = {});

}  // namespace hasa
