#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/kg/triple.h"

namespace hasa {

using GroupId = std::uint32_t;

/// Distinct triples in both directions, grouped by entity and directed relation.
/// Duplicates count once, and an edge knows the group of its inverse.
class EdgeGroups {
 public:
  EdgeGroups(std::span<const Triple> triples, EntityId entities, RelationId relations);

  struct Group {
    EntityId entity;
    RelationId relation;
    std::uint32_t begin, end;  // among tails()

    std::uint32_t size() const { return end - begin; }
  };

  EntityId entities() const { return static_cast<EntityId>(groups_of_.size() - 1); }
  RelationId relations() const { return relations_; }
  std::size_t num_groups() const { return groups_.size(); }
  const Group& group(GroupId id) const { return groups_[id]; }
  /// The groups of an entity are consecutive, by rising relation.
  GroupId first_group(EntityId entity) const { return groups_of_[entity]; }
  GroupId end_group(EntityId entity) const { return groups_of_[entity + 1]; }
  std::optional<GroupId> find(EntityId entity, RelationId relation) const;

  /// At the other ends of a group's edges, rising.
  std::span<const EntityId> tails(const Group& group) const {
    return {tails_.data() + group.begin, group.end - group.begin};
  }
  /// Of the same edges, the groups (tail, inverse relation) that they are in from there: as good as the pair
  /// (relation, tail), and a small number.
  std::span<const GroupId> twins(const Group& group) const {
    return {twins_.data() + group.begin, group.end - group.begin};
  }
  bool has_loop(GroupId id) const { return loops_[id]; }
  bool contains(const Group& group, EntityId tail) const {
    return std::binary_search(tails(group).begin(), tails(group).end(), tail);
  }
  std::size_t degree(EntityId entity) const {
    const GroupId first = first_group(entity), end = end_group(entity);
    return first == end ? 0 : groups_[end - 1].end - groups_[first].begin;
  }
  std::size_t num_edges() const { return tails_.size(); }

 private:
  RelationId relations_;
  std::vector<GroupId> groups_of_;  // [entities + 1]
  std::vector<Group> groups_;
  std::vector<EntityId> tails_;
  std::vector<GroupId> twins_;
  std::vector<bool> loops_;  // of each group
};

}  // namespace hasa
