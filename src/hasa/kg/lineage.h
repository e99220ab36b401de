#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/base/archive.h"
#include "hasa/kg/triple.h"

namespace hasa {

class Graph;

/// What a graph has beyond one that it grew from. Numbers of entities and relations are kept, so the first `entities`
/// and `relations` are those of the earlier graph.
struct Growth {
  EntityId entities = 0;                      // that the earlier graph had
  RelationId relations = 0;                   // likewise
  std::vector<EntityId> changed_entities;     // of those, rising: the name or the description is another one now
  std::vector<RelationId> changed_relations;  // likewise
};

/// The graphs that a graph grew from by `hasa import --add`, by their Graph::content_hash(). What was made of one of
/// them, a trained run or the embeddings of its texts, holds for this graph too, but for what Growth says.
class Lineage {
 public:
  /// Of `now`, which has everything of `before` under the same numbers. A graph of the same content as `before` has the
  /// same lineage. Throws data when entities or relations have other ids.
  static Lineage of(const Graph& now, const Graph& before);

  /// Oldest first, without the graph itself.
  std::vector<std::uint64_t> ancestors() const;
  /// Since the graph of this hash; nothing when that is none of the ancestors. Of an ancestor that occurs twice, since
  /// the later time.
  std::optional<Growth> since(std::uint64_t ancestor) const;
  bool empty() const { return steps_.empty(); }

  /// Sections "lineage" and "lineage.changed"; none when it is empty.
  void add_to(ArchiveWriter& writer) const;
  /// Empty for files without. Throws data unless it fits a graph of so many entities and relations.
  static Lineage read(const Archive& archive, EntityId entities, RelationId relations);

 private:
  /// An ancestor, and what changed from it to the next one, or to the graph itself.
  struct Step {
    std::uint64_t hash = 0;
    std::int64_t entities = 0, relations = 0;
    std::int64_t changed_entities = 0, changed_relations = 0;  // how many of changed_ are its own, entities first
  };

  std::vector<Step> steps_;            // oldest first
  std::vector<std::int32_t> changed_;  // of all steps, end to end
};

}  // namespace hasa
