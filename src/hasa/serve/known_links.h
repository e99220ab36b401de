#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"

namespace hasa {

/// Where a link is known from: a split of the graph, or a change made since.
enum class Known : std::uint8_t { train, valid, test, live };

/// "train", "valid", "test" or "live".
const char* to_string(Known known);
inline Known known_from(Split split) { return static_cast<Known>(split); }

/// The links of a graph, found by either end. Built once in time linear in the triples; answers in microseconds.
class KnownLinks {
 public:
  explicit KnownLinks(const Graph& graph);

  /// The answers to (head, directed relation, ?) in a split: sorted, distinct.
  std::span<const EntityId> tails(Split split, EntityId head, RelationId relation) const {
    return by_split_[static_cast<std::size_t>(split)].tails(head, relation);
  }
  /// The directed relations that have an answer for this head in a split, sorted.
  std::span<const RelationId> relations_of(Split split, EntityId head) const {
    return by_split_[static_cast<std::size_t>(split)].relations_of(head);
  }
  /// The first split that has the link.
  std::optional<Split> split_of(EntityId head, RelationId relation, EntityId tail) const;
  /// The entities with a link of the directed relation, from their end, in any split: sorted, distinct.
  std::span<const EntityId> bearers(RelationId relation) const;
  bool bears(EntityId entity, RelationId relation) const;
  /// Whether training has an entity that bears the relation to itself: only then may a head be its own answer.
  bool has_loop(RelationId relation) const { return has_loop_[static_cast<std::size_t>(relation)]; }

 private:
  std::array<KnownAnswers, 3> by_split_;
  std::vector<std::uint64_t> bearers_from_;  // relation r's are bearers_[bearers_from_[r] .. bearers_from_[r + 1])
  std::vector<EntityId> bearers_;
  std::vector<bool> has_loop_;  // by directed relation
};

}  // namespace hasa
