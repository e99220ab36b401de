#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/persistent_map.h"
#include "hasa/kg/graph.h"
#include "hasa/model/text_reader.h"
#include "hasa/serve/known_links.h"

namespace hasa {

/// One link of an entity, seen from it.
struct EntityLink {
  RelationId relation;  // directed
  EntityId neighbour;
  Known known;
};

/// An answer that is known already.
struct KnownAnswer {
  EntityId entity;
  Known known;
};

/// A graph with the changes made since it was imported, at one moment. Immutable, so that any number of threads may
/// read it while the next one comes to be; the views it gives live as long as it does. Without changes it costs
/// nothing beside the graph.
///
/// Added entities are numbered from graph().entities() on, and a number is never used again: one that a caller has kept
/// means the same entity in a later state, or none. Of an added entity that was deleted nothing stays; of one of the
/// graph, that it was deleted. What is said here of an entity holds for a living one, unless it says otherwise.
class LiveState {
 public:
  using Links = std::vector<UnseenEntity::Fact>;

  LiveState(const Graph& graph, const KnownLinks& known) : graph_(&graph), known_(&known) {}

  const Graph& graph() const { return *graph_; }
  const KnownLinks& known_links() const { return *known_; }
  /// Rises with every change.
  std::uint64_t version() const { return version_; }
  /// One above the greatest number that an entity has had.
  EntityId entities() const { return graph_->entities() + ever_added_; }
  /// How many are alive.
  EntityId living() const { return graph_->entities() + more_living_; }
  std::size_t added_triples() const { return added_triples_; }
  /// Those of the graph that are no more: removed, or gone with an entity.
  std::size_t removed_triples() const { return removed_triples_; }

  bool is_alive(EntityId entity) const;
  /// Whether its text comes from a change: it was added, or edited.
  bool is_live(EntityId entity) const;
  /// "" of an added one that was deleted.
  std::string_view entity_id(EntityId entity) const;
  /// The id where the entity has no name.
  std::string_view entity_name(EntityId entity) const;
  /// "" where there is none.
  std::string_view entity_description(EntityId entity) const;
  std::optional<EntityId> find_entity(std::string_view id) const;
  /// Those that a change gave their texts to, by rising number.
  std::vector<EntityId> live_entities() const;
  /// Those among them that have the name in their list of names, however it is written (serve/loose_name.h).
  std::vector<EntityId> live_entities_called(std::string_view name) const;

  /// Where the link (head, directed relation, tail) is known from; none: it is new.
  std::optional<Known> known(EntityId head, RelationId relation, EntityId tail) const;
  /// The known answers to (head, directed relation, ?), each once, in no order. Replaces what `answers` holds.
  void known_answers(EntityId head, RelationId relation, std::vector<KnownAnswer>& answers) const;
  /// At most `limit` links of the entity: those of changes first, then training's, valid's, test's.
  std::vector<EntityLink> links(EntityId entity, std::size_t limit = SIZE_MAX) const;
  std::size_t degree(EntityId entity) const;
  /// Whether the entity has a link of the directed relation, from its end.
  bool bears(EntityId entity, RelationId relation) const;
  /// All entities that do, by rising number. Replaces what `entities` holds.
  void bearers(RelationId relation, std::vector<EntityId>& entities) const;
  /// What a text reader is told of the entity: its text, and its links of training and of changes, to entities that
  /// the model was trained with.
  UnseenEntity as_unseen(EntityId entity) const;

  /// Rows for the entities whose texts come from changes, beside VectorScorer::entities(): [rows, dim], undefined
  /// where there are none. Row i is owners()[i]'s, or nobody's any more (-1).
  const torch::Tensor& vectors() const { return vectors_; }
  std::span<const EntityId> owners() const { return *owners_; }
  /// The entity's row among them; -1 where it has none.
  std::int64_t row_of(EntityId entity) const;
  /// Entities of the graph that do not answer by the vector that the model has for them: deleted or edited. Sorted.
  std::span<const EntityId> hidden() const { return *hidden_; }

  /// What it holds beside the graph: as much as the changes that still matter, however many were made.
  struct Holdings {
    std::size_t entities, ids, names, rows;
    bool operator==(const Holdings&) const = default;
  };
  Holdings holdings() const { return {changed_.size(), by_id_.size(), by_name_.size(), owners_->size()}; }

 private:
  friend class LiveEdit;

  /// What changes say of one entity. Of one of the graph that is as the graph has it there is none.
  struct Entity {
    std::string id;                 // of an added one
    std::string name, description;  // where has_text
    bool alive = true;
    bool has_text = false;
    bool severed = false;     // its links in the graph went when it was deleted
    std::int64_t row = -1;    // of its vector
    Links added;              // links that are not the graph's, sorted
    Links removed;            // the graph's that are no more, sorted
  };
  const Entity* changes_of(EntityId entity) const { return changed_.find(static_cast<std::uint64_t>(entity)); }
  static std::uint64_t key_of(std::string_view text);
  /// Also of a deleted one of the graph.
  std::optional<EntityId> numbered(std::string_view id) const;
  /// Whether the links that the graph has of it hold, those of changes aside.
  bool has_graph_links(EntityId entity) const;
  template <class Take>
  void for_graph_links(EntityId head, std::optional<RelationId> only, const Take& take) const;

  const Graph* graph_;
  const KnownLinks* known_;
  std::uint64_t version_ = 0;
  EntityId ever_added_ = 0, more_living_ = 0;
  std::size_t added_triples_ = 0, removed_triples_ = 0;
  PersistentMap<Entity> changed_;                 // by entity
  PersistentMap<std::vector<EntityId>> by_id_;    // added ones, by the hash of the id
  PersistentMap<std::vector<EntityId>> by_name_;  // those with a text of a change, by the hash of a loose name
  torch::Tensor vectors_;
  std::shared_ptr<const std::vector<EntityId>> owners_ = std::make_shared<const std::vector<EntityId>>();
  std::shared_ptr<const std::vector<EntityId>> hidden_ = owners_;
};

}  // namespace hasa
