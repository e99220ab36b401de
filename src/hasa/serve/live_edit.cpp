#include "hasa/serve/live_edit.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "hasa/base/error.h"
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

/// What an entity is found by: each name in its list of names, and the list as a whole.
std::vector<std::string> loose_names(std::string_view name) {
  std::vector<std::string> names = {loosely(name)};
  for (const std::string_view each : names_in(name)) names.push_back(loosely(each));
  return names;
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
  const auto key = static_cast<std::uint64_t>(entity);
  const bool is_changed =
      !changes.alive || changes.has_text || changes.severed || !changes.added.empty() || !changes.removed.empty();
  is_changed ? state_.changed_.set(key, std::move(changes)) : (void)state_.changed_.erase(key);
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
    HASA_CHECK(entity < std::numeric_limits<EntityId>::max(), unavailable,
               "all numbers for entities have been used\nstart the program again: it numbers those there are anew");
    ++state_.ever_added_;
    changes.id = put.id;
    add_to(state_.by_id_, put.id, entity);
  }
  if (created) ++state_.more_living_;
  remove_names(entity);
  changes.alive = changes.has_text = true;
  changes.name = put.name;
  changes.description = put.description;
  set(entity, std::move(changes));
  add_names(entity);
  hide(entity);
  new_text_.insert(entity);
  return {.created = created, .entity = entity};
}

/// Those of one list of an entity, and their twins at the other ends.
void LiveEdit::forget_links(EntityId entity, Links Entity::*list) {
  const Links links = changes_of(entity).*list;
  for (const UnseenEntity::Fact& link : links) {
    Entity other = changes_of(link.neighbour);
    erase_sorted(other.*list, {inverse(link.relation, state_.graph().relations()), entity});
    set(link.neighbour, std::move(other));
  }
}

Applied LiveEdit::apply_one(const DeleteEntity& deleted) {
  const EntityId entity = living(deleted.id);
  for (const EntityLink& link : state_.links(entity)) {
    if (link.neighbour != entity) touch_links(link.neighbour);
    if (link.neighbour == entity && link.relation >= state_.graph().relations()) continue;  // a loop has been counted
    link.known == Known::live ? --state_.added_triples_ : ++state_.removed_triples_;
  }
  forget_links(entity, &Entity::added);
  forget_links(entity, &Entity::removed);
  drop_row(state_.row_of(entity));
  remove_names(entity);
  if (entity < state_.graph().entities()) {
    set(entity, {.alive = false, .severed = true});
    hide(entity);
  } else {
    remove_from(state_.by_id_, deleted.id, entity);
    state_.changed_.erase(static_cast<std::uint64_t>(entity));
  }
  --state_.more_living_;
  new_text_.erase(entity);
  new_links_.erase(entity);
  return {.entity = entity};
}

void LiveEdit::add_to(Index& index, std::string_view text, EntityId entity) {
  const std::uint64_t key = LiveState::key_of(text);
  const std::vector<EntityId>* there = index.find(key);
  std::vector<EntityId> entities = there == nullptr ? std::vector<EntityId>() : *there;
  if (std::find(entities.begin(), entities.end(), entity) != entities.end()) return;
  entities.push_back(entity);
  index.set(key, std::move(entities));
}

void LiveEdit::remove_from(Index& index, std::string_view text, EntityId entity) {
  const std::uint64_t key = LiveState::key_of(text);
  const std::vector<EntityId>* there = index.find(key);
  if (there == nullptr) return;
  std::vector<EntityId> entities = *there;
  std::erase(entities, entity);
  entities.empty() ? (void)index.erase(key) : index.set(key, std::move(entities));
}

void LiveEdit::add_names(EntityId entity) {
  for (const std::string& name : loose_names(state_.entity_name(entity))) add_to(state_.by_name_, name, entity);
}

/// Of the text that a change gave it, if one did.
void LiveEdit::remove_names(EntityId entity) {
  if (!state_.is_live(entity)) return;
  for (const std::string& name : loose_names(state_.entity_name(entity))) remove_from(state_.by_name_, name, entity);
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

void LiveEdit::pack_vectors() {
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
  const torch::Tensor chosen = torch::tensor(rows, torch::kInt64).to(state_.vectors_.device());
  state_.vectors_ = rows.empty() ? torch::Tensor() : state_.vectors_.index_select(0, chosen);
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
