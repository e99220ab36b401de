#pragma once

#include <torch/types.h>

namespace hasa {

/// The edges that messages run along. A triple (h, r, t) is two of them: h -> t of relation r, and t -> h of relation
/// r + R. An entity's row holds the edges into it, in order of relation, neighbour and triple; the edges out of it are
/// the twins of the same row, so one list serves the passes forward and backward. Copies of a triple are edges each.
///
/// Rows are of very different lengths, so they are cut for the kernels: into groups of at most 128 edges of one
/// relation, and groups gathered into parts of at most 256 edges. A row of several parts (a hub) is added up from them
/// in their order. All tensors are on one device; int32 unless noted.
struct PathGraph {
  torch::Tensor offsets;             // [entities + 1] the row of entity e is offsets[e] .. offsets[e + 1]
  torch::Tensor edges;               // [edges, 2] source and relation (0 .. 2R)
  torch::Tensor twin_slot;           // [edges] the place of an edge's twin within the row it stands in
  torch::Tensor edges_of_triple;     // [triples, 2] int64
  torch::Tensor groups;              // [groups, 4] first edge, end, entity, relation of the twins (out of the entity)
  torch::Tensor groups_of_relation;  // [groups] group numbers in order of relation
  torch::Tensor relation_parts;      // [., 3] relation, first and end in groups_of_relation; at most 256 groups each
  torch::Tensor relation_offsets;    // [2R + 1] the parts of each relation
  torch::Tensor parts;   // [parts, 4] entity, first group, end, number among the hubs' parts or -1; long first
  torch::Tensor hubs;    // [hubs, 3] entity, first and end among the hubs' parts
  torch::Tensor degree;  // [entities] float32: edges of each row
  std::int64_t hub_parts = 0;
  std::int64_t longest_row = 0;

  std::int64_t entities() const { return offsets.size(0) - 1; }
  std::int64_t num_edges() const { return edges.size(0); }
  std::int64_t directed_relations() const { return relation_offsets.size(0) - 1; }
  PathGraph to(const torch::Device& device) const;
};

/// heads, relations, tails: [triples] int64 on the CPU, ids in range.
PathGraph make_path_graph(const torch::Tensor& heads, const torch::Tensor& relations, const torch::Tensor& tails,
                          std::int64_t entity_count, std::int64_t relation_count);

/// The graph without some triples: both edges of a hidden triple have source -1, and degrees count the others.
struct VisibleEdges {
  torch::Tensor edges;   // [edges, 2]
  torch::Tensor degree;  // [entities] float32
};

/// hidden: [.] int64 distinct triple numbers on the graph's device; undefined or empty hides none.
VisibleEdges hide_triples(const PathGraph& graph, const torch::Tensor& hidden);

}  // namespace hasa
