#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"

namespace hasa {

/// The neighbours whose names follow a short description, as in SimKGC: the first
/// few by ascending id among all entities linked in training, always the same ones.
class NeighbourNames {
 public:
  /// Up to `most` after a description of fewer than `below_words` words, and none
  /// after a longer one. Reads only the graph's training triples, in the constructor.
  NeighbourNames(const Graph& graph, std::size_t most, std::size_t below_words);

  /// By ascending id, distinct, never the entity itself.
  std::span<const EntityId> of(EntityId entity) const {
    return std::span(neighbours_).subspan(first_[entity], first_[entity + 1] - first_[entity]);
  }
  bool contains(EntityId entity, EntityId neighbour) const;

 private:
  std::vector<std::size_t> first_;  // entity e's neighbours are [first_[e], first_[e + 1])
  std::vector<EntityId> neighbours_;
};

}  // namespace hasa
