#pragma once

#include <torch/types.h>

#include <functional>
#include <set>
#include <span>
#include <vector>

#include "hasa/serve/change.h"
#include "hasa/serve/live_state.h"

namespace hasa {

/// Makes the next state of a live graph from the last, change by change.
class LiveEdit {
 public:
  explicit LiveEdit(LiveState from) : state_(std::move(from)) {}

  /// Throws Refusal not_found, and then nothing was changed.
  Applied apply(const Change& change);
  const LiveState& state() const { return state_; }

  /// The living entities with a text of a change whose vector is missing or was made of other texts or links.
  /// `reads_facts`: links are part of it.
  std::vector<EntityId> without_vector(bool reads_facts) const;
  /// `vectors` has the rows there were, and behind them those of the entities.
  void set_vectors(std::span<const EntityId> entities, const torch::Tensor& vectors);
  /// Whether most rows are nobody's any more.
  bool is_mostly_unused() const;
  /// Leaves such rows out; the others are then in memory of their own.
  void pack_vectors();

  /// The changes that make this state of the bare graph.
  static void for_each_change(const LiveState& state, const std::function<void(const Change&)>& take);

 private:
  using Entity = LiveState::Entity;

  Applied apply_one(const PutEntity& put);
  Applied apply_one(const DeleteEntity& deleted);
  Applied apply_one(const AddTriple& triple);
  Applied apply_one(const RemoveTriple& triple);

  EntityId living(const std::string& id) const;
  Triple resolved(const std::string& head, const std::string& relation, const std::string& tail) const;
  Entity changes_of(EntityId entity) const;
  void set(EntityId entity, Entity changes);
  template <class Edit>
  void edit_both_ends(const Triple& triple, const Edit& edit);
  void hide(EntityId entity);
  void drop_row(std::int64_t row);
  using Index = PersistentMap<std::vector<EntityId>>;
  static void add_to(Index& index, std::string_view text, EntityId entity);
  static void remove_from(Index& index, std::string_view text, EntityId entity);
  void add_names(EntityId entity);
  void remove_names(EntityId entity);
  void forget_links(EntityId entity, LiveState::Links Entity::*list);
  void touch_links(EntityId entity);

  LiveState state_;
  std::set<EntityId> new_text_, new_links_;
};

}  // namespace hasa
