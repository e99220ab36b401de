#pragma once

#include <cstdint>
#include <span>

#include "hasa/kg/graph.h"
#include "hasa/kg/head_groups.h"

namespace hasa {

/// Which relations lead from one entity to another in training; repeated triples count once.
class TrainPairs {
 public:
  explicit TrainPairs(const Graph& graph);

  /// One number a relation, by rising relation: relation_of() takes it out.
  std::span<const std::uint64_t> between(EntityId head, EntityId tail) const;
  static RelationId relation_of(std::uint64_t key) { return static_cast<RelationId>(key & 0xFFFFFFFFU); }
  static EntityId tail_of(std::uint64_t key) { return static_cast<EntityId>(key >> 32); }
  bool contains(EntityId head, RelationId relation, EntityId tail) const;

  /// Of one head: its tails by rising number, and for each its relations.
  std::span<const std::uint64_t> of(EntityId head) const;
  EntityId entities() const { return static_cast<EntityId>(ends_.size()); }

 private:
  HeadGroups groups_;
  std::vector<std::uint64_t> ends_;  // of each head's distinct keys, which stand first in its group
};

}  // namespace hasa
