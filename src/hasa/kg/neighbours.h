#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/adjacency.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// The undirected training graph without its relations: the entities that share a triple with an entity,
/// directions and repetitions merged, loops left out. At most 8 bytes an entity and 12 bytes for each of the
/// two ends of a linked pair.
class Neighbours {
 public:
  explicit Neighbours(const Adjacency& adjacency);

  EntityId entities() const { return static_cast<EntityId>(offsets_.size() - 1); }
  /// By rising id.
  std::span<const EntityId> of(EntityId entity) const { return {lists_.data() + offsets_[entity], degree(entity)}; }
  std::uint32_t degree(EntityId entity) const { return offsets_[entity + 1] - offsets_[entity]; }
  /// Where the neighbours of an entity begin among those of all, for numbers kept beside them.
  std::uint32_t begin(EntityId entity) const { return offsets_[entity]; }
  /// Twice the linked pairs.
  std::size_t num_ends() const { return lists_.size(); }

  bool contains(EntityId entity, EntityId other) const {
    const std::uint32_t row = bits_row_[entity];
    return row != kNoBits ? bit(row, other) : search(entity, other);
  }
  /// The smallest id next to both, -1 without any. Reads the shorter list up to it, with a look-up for each.
  EntityId first_common(EntityId a, EntityId b) const;

  std::size_t bytes() const;

 private:
  void merge(const Adjacency& adjacency);
  void fill_bits();
  bool bit(std::uint32_t row, EntityId other) const { return (bits_[row * words_ + other / 64] >> (other % 64)) & 1; }
  bool search(EntityId entity, EntityId other) const;

  static constexpr std::uint32_t kNoBits = 0xffffffff;

  std::vector<std::uint32_t> offsets_;
  std::vector<EntityId> lists_;
  // Entities linked to a 64th of all others or more also have a bit for every entity: theirs are the lists
  // that are slow to search, and the bits take no more than 8 bytes for each of their neighbours.
  std::vector<std::uint32_t> bits_row_;  // of each entity; kNoBits: none
  std::vector<std::uint64_t> bits_;      // [rows, words_]
  std::size_t words_ = 0;
};

}  // namespace hasa
