#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/adjacency.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// Deals triples out of training, one label a triple, and knows what training still has: every entity and relation
/// that is not held out on purpose keeps a triple there.
class SplitDealer {
 public:
  SplitDealer(std::span<const Triple> triples, EntityId entities, RelationId relations);

  /// Moves the triples into the split, all or none; false where training cannot do without one of them, or they have
  /// left it before.
  bool move(std::span<const std::uint32_t> triples, Split split);
  bool move(std::uint32_t triple, Split split) { return move({&triple, 1}, split); }
  /// Moves them, whatever training then lacks.
  void force(std::uint32_t triple, Split split);
  /// Moves all training triples of an entity, if each of its neighbours and relations keeps one.
  bool hold_out(EntityId entity, const Adjacency& adjacency, Split split);

  std::size_t size(Split split) const { return sizes_[static_cast<std::size_t>(split)]; }
  std::span<const Triple> triples() const { return triples_; }
  std::vector<Split> take_labels() { return std::move(labels_); }

 private:
  void count(const Triple& t, int change);
  bool is_left(const Triple& t) const;

  std::span<const Triple> triples_;
  std::vector<Split> labels_;
  std::array<std::size_t, 3> sizes_ = {};
  std::vector<std::uint32_t> entities_left_;   // training triples of each entity
  std::vector<std::uint32_t> relations_left_;  // and of each relation
  std::vector<bool> held_;                     // entities held out
};

}  // namespace hasa
