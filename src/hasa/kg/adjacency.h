#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// One training triple seen from one of its ends.
struct Edge {
  RelationId relation;   ///< directed, in [0, 2R): r from the head, r + R from the tail
  EntityId neighbour;    ///< at the other end
  std::uint32_t triple;  ///< number of the training triple; an edge and its inverse twin share it
};

/// The edges of each entity over the training triples and their inverses, by rising triple number. A loop
/// gives its entity two edges. 12 bytes an edge, two edges a triple, and 8 bytes an entity.
class Adjacency {
 public:
  explicit Adjacency(const Graph& graph);
  Adjacency(std::span<const Triple> triples, EntityId entities, RelationId relations);

  EntityId entities() const { return static_cast<EntityId>(offsets_.size() - 1); }
  std::size_t num_edges() const { return edges_.size(); }
  std::span<const Edge> edges(EntityId entity) const {
    return {edges_.data() + offsets_[entity], static_cast<std::size_t>(offsets_[entity + 1] - offsets_[entity])};
  }
  std::size_t degree(EntityId entity) const { return edges(entity).size(); }
  /// offsets()[e] .. offsets()[e + 1] are e's edges in all_edges().
  std::span<const std::uint64_t> offsets() const { return offsets_; }
  std::span<const Edge> all_edges() const { return edges_; }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<Edge> edges_;
};

}  // namespace hasa
