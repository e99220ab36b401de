#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"

namespace hasa {

/// The neighbours whose names are read after an entity's description where that is short, as SimKGC does: the first
/// few by rising id among all that a training triple links it to, always the same ones.
class NeighbourNames {
 public:
  /// Up to `most` after a description of fewer than `below_words` words, and none after a longer one. The graph's
  /// training triples alone are read, now.
  NeighbourNames(const Graph& graph, std::size_t most, std::size_t below_words);

  /// By rising id, distinct, never the entity itself.
  std::span<const EntityId> of(EntityId entity) const {
    return std::span(neighbours_).subspan(first_[entity], first_[entity + 1] - first_[entity]);
  }
  bool contains(EntityId entity, EntityId neighbour) const;

 private:
  std::vector<std::size_t> first_;  // entity e's neighbours are [first_[e], first_[e + 1])
  std::vector<EntityId> neighbours_;
};

}  // namespace hasa
