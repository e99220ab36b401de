#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// The tails that make a true triple with a query (head, directed relation), over the splits one chooses:
/// training alone for what a model may know, all three for filtered ranking. Inverse queries are in it.
///
/// Three levels of arrays: a head's queries, sorted by relation; a query's tails, sorted and distinct.
class KnownAnswers {
 public:
  KnownAnswers(const Graph& graph, std::span<const Split> splits);
  static KnownAnswers of_training(const Graph& graph);
  static KnownAnswers of_all_splits(const Graph& graph);

  /// Sorted, distinct; empty when nothing is known. The relation is in [0, 2R).
  std::span<const EntityId> tails(EntityId head, RelationId relation) const;
  bool contains(EntityId head, RelationId relation, EntityId tail) const;
  /// The directed relations that have an answer for this head, sorted.
  std::span<const RelationId> relations_of(EntityId head) const;

  /// Those of all queries, one after the other: each span of tails() is a part of it.
  std::span<const EntityId> all_tails() const { return tails_; }
  std::size_t num_queries() const { return relations_.size(); }
  std::size_t num_answers() const { return tails_.size(); }

 private:
  std::vector<std::uint64_t> heads_;       // head h's queries are [heads_[h], heads_[h + 1])
  std::vector<RelationId> relations_;      // of each query
  std::vector<std::uint64_t> tails_from_;  // query q's tails are [tails_from_[q], tails_from_[q + 1])
  std::vector<EntityId> tails_;
};

}  // namespace hasa
