#include "hasa/serve/live_edit.h"

#include <algorithm>
#include <utility>

#include "hasa/base/shown_text.h"
#include "hasa/serve/loose_name.h"
#include "hasa/serve/refusal.h"

namespace hasa {
namespace {

constexpr std::ptrdiff_t kFewRows = 256;

using Links = LiveState::Links;

void insert_sorted(Links& links, UnseenEntity::Fact link) {
  links.insert(std::lower_bound(links.begin(), links.end(), link), link);
}

bool contains(const Links& links, UnseenEntity::Fact link) {
  return std::binary_search(links.begin(), links.end(), link);
}

void erase_sorted(Links& links, UnseenEntity::Fact link) {
  const auto [first, last] = std::equal_range(links.begin(), links.end(), link);
  links.erase(first, last);
}

}  // namespace

Applied LiveEdit::apply(const Change& change) {
  const Applied applied = std::visit([&](const auto& each) { return apply_one(each); }, change);
  if (applied.changed) ++state_.version_;
  return applied;
}

EntityId LiveEdit::living(const std::string& id) const {
  if (const auto found = state_.find_entity(id)) return *found;
  refuse(Refusal::Reason::not_found, "no entity has the id \"{}\"", shown(id));
}

Triple LiveEdit::resolved(const std::string& head, const std::string& relation, const std::string& tail) const {
  const auto r = state_.graph().find_relation(relation);
  if (!r) refuse(Refusal::Reason::not_found, "no relation has the id \"{}\"", shown(relation));
  return {living(head), *r, living(tail)};
}

LiveState::Entity LiveEdit::changes_of(EntityId entity) const {
  const Entity* changes = state_.changes_of(entity);
  return changes == nullptr ? Entity{} : *changes;
}

void LiveEdit::set(EntityId entity, Entity changes) {
  state_.changed_.set(static_cast<std::uint64_t>(entity), std::move(changes));
}

/// edit(changes of an end, the link seen from it), for both ends.
template <class Edit>
void LiveEdit::edit_both_ends(const Triple& triple, const Edit& edit) {
  for (const Triple& t : {triple, inverse(triple, state_.graph().relations())}) {
    Entity changes = changes_of(t.head);
    edit(changes, UnseenEntity::Fact{t.relation, t.tail});
    set(t.head, std::move(changes));
    touch_links(t.head);
  }
}

void LiveEdit::touch_links(EntityId entity) {
  if (state_.is_live(entity)) new_links_.insert(entity);
}

Applied LiveEdit::apply_one(const AddTriple& triple) {
  const Triple t = resolved(triple.head, triple.relation, triple.tail);
  if (state_.known(t.head, t.relation, t.tail)) return {.changed = false, .entity = t.head};
  const bool was_removed = contains(changes_of(t.head).removed, {t.relation, t.tail});
  edit_both_ends(t, [&](Entity& changes, UnseenEntity::Fact link) {
    was_removed ? erase_sorted(changes.removed, link) : insert_sorted(changes.added, link);
  });
  was_removed ? --state_.removed_triples_ : ++state_.added_triples_;
  return {.entity = t.head};
}

Applied LiveEdit::apply_one(const RemoveTriple& triple) {
  const Triple t = resolved(triple.head, triple.relation, triple.tail);
  if (!state_.known(t.head, t.relation, t.tail)) return {.changed = false, .entity = t.head};
  const bool was_added = contains(changes_of(t.head).added, {t.relation, t.tail});
  edit_both_ends(t, [&](Entity& changes, UnseenEntity::Fact link) {
    was_added ? erase_sorted(changes.added, link) : insert_sorted(changes.removed, link);
  });
  was_added ? --state_.added_triples_ : ++state_.removed_triples_;
  return {.entity = t.head};
}

Applied LiveEdit::apply_one(const PutEntity& put) {
  const auto found = state_.numbered(put.id);
  const EntityId entity = found.value_or(state_.entities());
  Entity changes = changes_of(entity);
  const bool created = !found || !changes.alive;
  if (!created && state_.is_live(entity) && changes.name == put.name && changes.description == put.description)
    return {.changed = false, .entity = entity};
  if (!found) {
    ++state_.added_entities_;
    changes.id = put.id;
    index(state_.by_id_, put.id, entity);
  } else if (created) {
    --state_.deleted_entities_;
  }
  changes.alive = changes.has_text = true;
  changes.name = put.name;
  changes.description = put.description;
  set(entity, std::move(changes));
  const std::string name(state_.entity_name(entity));
  for (const std::string_view each : names_in(name)) index(state_.by_name_, loosely(each), entity);
  index(state_.by_name_, loosely(name), entity);
  hide(entity);
  new_text_.insert(entity);
  return {.created = created, .entity = entity};
}

/// Those of one list of an entity, and their twins at the other ends.
void LiveEdit::forget_links(EntityId entity, Links Entity::*list, std::size_t& triples) {
  const RelationId relations = state_.graph().relations();
  const Links links = changes_of(entity).*list;
  for (const UnseenEntity::Fact& link : links) {
    if (link.neighbour != entity || link.relation < relations) --triples;
    Entity other = changes_of(link.neighbour);
    erase_sorted(other.*list, {inverse(link.relation, relations), entity});
    set(link.neighbour, std::move(other));
  }
}

Applied LiveEdit::apply_one(const DeleteEntity& deleted) {
  const EntityId entity = living(deleted.id);
  for (const EntityLink& link : state_.links(entity)) {
    if (link.neighbour != entity) touch_links(link.neighbour);
  }
  forget_links(entity, &Entity::added, state_.added_triples_);
  forget_links(entity, &Entity::removed, state_.removed_triples_);
  Entity changes = changes_of(entity);
  drop_row(changes.row);
  set(entity, {.id = std::move(changes.id), .alive = false, .severed = true});
  ++state_.deleted_entities_;
  hide(entity);
  new_text_.erase(entity);
  new_links_.erase(entity);
  return {.entity = entity};
}

void LiveEdit::index(PersistentMap<std::vector<EntityId>>& by, std::string_view text, EntityId entity) {
  const std::uint64_t key = LiveState::key_of(text);
  const std::vector<EntityId>* there = by.find(key);
  std::vector<EntityId> entities = there == nullptr ? std::vector<EntityId>() : *there;
  if (std::find(entities.begin(), entities.end(), entity) != entities.end()) return;
  entities.push_back(entity);
  by.set(key, std::move(entities));
}

void LiveEdit::hide(EntityId entity) {
  if (entity >= state_.graph().entities()) return;
  const std::vector<EntityId>& hidden = *state_.hidden_;
  const auto place = std::lower_bound(hidden.begin(), hidden.end(), entity);
  if (place != hidden.end() && *place == entity) return;
  auto more = std::make_shared<std::vector<EntityId>>(hidden);
  more->insert(more->begin() + (place - hidden.begin()), entity);
  state_.hidden_ = std::move(more);
}

void LiveEdit::drop_row(std::int64_t row) {
  if (row < 0) return;
  auto owners = std::make_shared<std::vector<EntityId>>(*state_.owners_);
  (*owners)[static_cast<std::size_t>(row)] = -1;
  state_.owners_ = std::move(owners);
}

std::vector<EntityId> LiveEdit::without_vector(bool reads_facts) const {
  std::set<EntityId> entities = new_text_;
  if (reads_facts) entities.insert(new_links_.begin(), new_links_.end());
  return {entities.begin(), entities.end()};
}

bool LiveEdit::is_mostly_unused() const {
  const auto unused = std::count(state_.owners_->begin(), state_.owners_->end(), -1);
  return unused > kFewRows && 2 * unused > std::ssize(*state_.owners_);
}

torch::Tensor LiveEdit::pack_vectors() {
  auto owners = std::make_shared<std::vector<EntityId>>();
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < state_.owners_->size(); ++row) {
    const EntityId owner = (*state_.owners_)[row];
    if (owner < 0) continue;
    Entity changes = changes_of(owner);
    changes.row = std::ssize(*owners);
    set(owner, std::move(changes));
    owners->push_back(owner);
    rows.push_back(static_cast<std::int64_t>(row));
  }
  state_.owners_ = std::move(owners);
  state_.vectors_ = state_.vectors_.index_select(0, torch::tensor(rows, torch::kInt64).to(state_.vectors_.device()));
  return state_.vectors_;
}

void LiveEdit::set_vectors(std::span<const EntityId> entities, const torch::Tensor& vectors) {
  auto owners = std::make_shared<std::vector<EntityId>>(*state_.owners_);
  for (const EntityId entity : entities) {
    Entity changes = changes_of(entity);
    if (changes.row >= 0) (*owners)[static_cast<std::size_t>(changes.row)] = -1;
    changes.row = std::ssize(*owners);
    owners->push_back(entity);
    set(entity, std::move(changes));
  }
  state_.owners_ = std::move(owners);
  state_.vectors_ = vectors;
  new_text_.clear();
  new_links_.clear();
}

void LiveEdit::for_each_change(const LiveState& state, const std::function<void(const Change&)>& take) {
  std::vector<EntityId> changed;
  state.changed_.for_each([&](std::uint64_t e, const Entity&) { changed.push_back(static_cast<EntityId>(e)); });
  std::sort(changed.begin(), changed.end());
  const auto id_of = [&](EntityId entity) { return std::string(state.entity_id(entity)); };
  for (const EntityId e : changed) {
    const Entity& changes = *state.changes_of(e);
    if (changes.severed && e < state.graph().entities()) take(DeleteEntity{id_of(e)});
    if (changes.has_text) take(PutEntity{id_of(e), changes.name, changes.description});
  }
  const RelationId relations = state.graph().relations();
  for (const EntityId e : changed) {
    const Entity& changes = *state.changes_of(e);
    for (const auto& link : changes.removed) {
      if (link.relation >= relations) continue;
      take(RemoveTriple{id_of(e), std::string(state.graph().relation_id(link.relation)), id_of(link.neighbour)});
    }
    for (const auto& link : changes.added) {
      if (link.relation >= relations) continue;
      take(AddTriple{id_of(e), std::string(state.graph().relation_id(link.relation)), id_of(link.neighbour)});
    }
  }
}

}  // namespace hasa
