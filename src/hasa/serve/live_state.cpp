#include "hasa/serve/live_state.h"

#include <algorithm>

#include "hasa/base/hash.h"
#include "hasa/serve/loose_name.h"

namespace hasa {
namespace {

using Links = LiveState::Links;

bool holds(const Links& links, RelationId relation, EntityId neighbour) {
  return std::binary_search(links.begin(), links.end(), UnseenEntity::Fact{relation, neighbour});
}

/// Those of one relation.
std::span<const UnseenEntity::Fact> of_relation(const Links& links, RelationId relation) {
  const auto [first, last] = std::equal_range(links.begin(), links.end(), UnseenEntity::Fact{relation, 0},
                                              [](const auto& a, const auto& b) { return a.relation < b.relation; });
  return {first, last};
}

}  // namespace

std::uint64_t LiveState::key_of(std::string_view text) { return hash_bytes(text.data(), text.size()); }

bool LiveState::is_alive(EntityId entity) const {
  const Entity* changes = changes_of(entity);
  return changes == nullptr ? entity < graph_->entities() : changes->alive;
}

bool LiveState::is_live(EntityId entity) const {
  const Entity* changes = changes_of(entity);
  return changes != nullptr && changes->has_text;
}

std::string_view LiveState::entity_id(EntityId entity) const {
  if (entity < graph_->entities()) return graph_->entity_id(entity);
  const Entity* changes = changes_of(entity);
  return changes == nullptr ? std::string_view() : changes->id;
}

std::string_view LiveState::entity_name(EntityId entity) const {
  const Entity* changes = changes_of(entity);
  if (changes != nullptr && changes->has_text) return changes->name.empty() ? entity_id(entity) : changes->name;
  return entity < graph_->entities() ? graph_->entity_name(entity) : entity_id(entity);
}

std::string_view LiveState::entity_description(EntityId entity) const {
  const Entity* changes = changes_of(entity);
  if (changes != nullptr && changes->has_text) return changes->description;
  return entity < graph_->entities() ? graph_->entity_description(entity) : std::string_view();
}

std::optional<EntityId> LiveState::numbered(std::string_view id) const {
  if (const auto found = graph_->find_entity(id)) return found;
  const auto* candidates = by_id_.find(key_of(id));
  if (candidates == nullptr) return std::nullopt;
  for (const EntityId e : *candidates) {
    if (entity_id(e) == id) return e;
  }
  return std::nullopt;
}

std::optional<EntityId> LiveState::find_entity(std::string_view id) const {
  const auto found = numbered(id);
  return found && is_alive(*found) ? found : std::nullopt;
}

std::vector<EntityId> LiveState::live_entities() const {
  std::vector<EntityId> live;
  changed_.for_each([&](std::uint64_t e, const Entity& entity) {
    if (entity.alive && entity.has_text) live.push_back(static_cast<EntityId>(e));
  });
  std::sort(live.begin(), live.end());
  return live;
}

std::vector<EntityId> LiveState::live_entities_called(std::string_view name) const {
  const std::string wanted = loosely(name);
  const auto* candidates = by_name_.find(key_of(wanted));
  std::vector<EntityId> called;
  if (candidates == nullptr) return called;
  for (const EntityId e : *candidates) {
    if (!is_alive(e) || !is_live(e)) continue;
    const auto names = names_in(entity_name(e));
    const bool is_listed = std::any_of(names.begin(), names.end(), [&](auto each) { return loosely(each) == wanted; });
    if (is_listed || loosely(entity_name(e)) == wanted) called.push_back(e);
  }
  std::sort(called.begin(), called.end());
  called.erase(std::unique(called.begin(), called.end()), called.end());
  return called;
}

bool LiveState::has_graph_links(EntityId entity) const {
  if (entity >= graph_->entities()) return false;
  const Entity* changes = changes_of(entity);
  return changes == nullptr || !changes->severed;
}

std::optional<Known> LiveState::known(EntityId head, RelationId relation, EntityId tail) const {
  const Entity* changes = changes_of(head);
  if (changes != nullptr && holds(changes->added, relation, tail)) return Known::live;
  if (!has_graph_links(head) || !has_graph_links(tail)) return std::nullopt;
  if (changes != nullptr && holds(changes->removed, relation, tail)) return std::nullopt;
  const auto split = known_->split_of(head, relation, tail);
  return split ? std::optional(known_from(*split)) : std::nullopt;
}

/// The graph's own that are still there, each once: calls take(relation, tail, split).
template <class Take>
void LiveState::for_graph_links(EntityId head, std::optional<RelationId> only, const Take& take) const {
  if (!has_graph_links(head)) return;
  const Entity* changes = changes_of(head);
  const bool plain = changed_.empty();
  const auto of_query = [&](Split split, RelationId relation) {
    for (const EntityId tail : known_->tails(split, head, relation)) {
      const bool was_removed = changes != nullptr && holds(changes->removed, relation, tail);
      if (!plain && (was_removed || !has_graph_links(tail))) continue;
      // A link that an earlier split has too was taken there.
      if (split == Split::train || known_->split_of(head, relation, tail) == split) take(relation, tail, split);
    }
  };
  for (const Split split : kSplits) {
    if (only) {
      of_query(split, *only);
    } else {
      for (const RelationId relation : known_->relations_of(split, head)) of_query(split, relation);
    }
  }
}

void LiveState::known_answers(EntityId head, RelationId relation, std::vector<KnownAnswer>& answers) const {
  answers.clear();
  if (const Entity* changes = changes_of(head)) {
    for (const auto& link : of_relation(changes->added, relation)) answers.push_back({link.neighbour, Known::live});
  }
  for_graph_links(head, relation, [&](RelationId, EntityId tail, Split split) {
    answers.push_back({tail, known_from(split)});
  });
}

std::vector<EntityLink> LiveState::links(EntityId entity, std::size_t limit) const {
  std::vector<EntityLink> links;
  const auto add = [&](RelationId relation, EntityId neighbour, Known known) {
    if (links.size() < limit) links.push_back({relation, neighbour, known});
  };
  if (const Entity* changes = changes_of(entity)) {
    for (const auto& link : changes->added) add(link.relation, link.neighbour, Known::live);
  }
  for_graph_links(entity, std::nullopt, [&](RelationId relation, EntityId neighbour, Split split) {
    add(relation, neighbour, known_from(split));
  });
  return links;
}

std::size_t LiveState::degree(EntityId entity) const {
  std::size_t count = 0;
  if (const Entity* changes = changes_of(entity)) count += changes->added.size();
  for_graph_links(entity, std::nullopt, [&](RelationId, EntityId, Split) { ++count; });
  return count;
}

bool LiveState::bears(EntityId entity, RelationId relation) const {
  const Entity* changes = changes_of(entity);
  if (changes == nullptr && changed_.empty()) return known_->bears(entity, relation);
  if (changes != nullptr && !of_relation(changes->added, relation).empty()) return true;
  bool bears = false;
  for_graph_links(entity, relation, [&](RelationId, EntityId, Split) { bears = true; });
  return bears;
}

void LiveState::bearers(RelationId relation, std::vector<EntityId>& entities) const {
  const auto of_graph = known_->bearers(relation);
  entities.assign(of_graph.begin(), of_graph.end());
  if (changed_.empty()) return;
  std::erase_if(entities, [&](EntityId e) { return !bears(e, relation); });
  const auto middle = std::ssize(entities);
  changed_.for_each([&](std::uint64_t key, const Entity& changes) {
    const auto e = static_cast<EntityId>(key);
    const bool was_there = e < graph_->entities() && known_->bears(e, relation);
    if (!was_there && !of_relation(changes.added, relation).empty()) entities.push_back(e);
  });
  std::sort(entities.begin() + middle, entities.end());
  std::inplace_merge(entities.begin(), entities.begin() + middle, entities.end());
}

UnseenEntity LiveState::as_unseen(EntityId entity) const {
  UnseenEntity unseen{std::string(entity_name(entity)), std::string(entity_description(entity)), {}};
  if (const Entity* changes = changes_of(entity)) {
    for (const auto& link : changes->added) {
      if (link.neighbour < graph_->entities()) unseen.facts.push_back(link);
    }
  }
  for_graph_links(entity, std::nullopt, [&](RelationId relation, EntityId neighbour, Split split) {
    if (split == Split::train) unseen.facts.push_back({relation, neighbour});
  });
  return unseen;
}

std::int64_t LiveState::row_of(EntityId entity) const {
  const Entity* changes = changes_of(entity);
  return changes == nullptr ? -1 : changes->row;
}

}  // namespace hasa
