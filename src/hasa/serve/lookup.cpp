#include "hasa/serve/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "hasa/base/nearest.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/loose_name.h"
#include "hasa/serve/name_search.h"
#include "hasa/serve/refusal.h"

namespace hasa {
namespace {

constexpr std::size_t kSuggestions = 5;
constexpr RelationId kFewRelations = 30;
constexpr std::size_t kDescriptionLength = 70;
constexpr EntityId kFewEntities = 20000;  // all of whose names are compared for a suggestion

std::vector<RelationId> relations_loosely_called(const Graph& graph, const std::string& text) {
  const std::string wanted = loosely(text);
  std::vector<RelationId> found;
  for (RelationId r = 0; r < graph.relations(); ++r) {
    if (loosely(graph.relation_id(r)) == wanted || loosely(graph.relation_text(r)) == wanted) found.push_back(r);
  }
  return found;
}

/// What a message tells of entities: of a graph, or of a state of it.
template <class G>
[[noreturn]] void refuse_ambiguous(const G& graph, std::string_view name, const std::vector<EntityId>& found) {
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), kSuggestions); ++i) {
    list += fmt::format("\n  {}  {}: {}", shown(graph.entity_id(found[i])), shown(graph.entity_name(found[i])),
                        shown(graph.entity_description(found[i]), kDescriptionLength));
  }
  if (found.size() > kSuggestions) list += fmt::format("\n  and {} more", found.size() - kSuggestions);
  throw Refusal(Refusal::Reason::ambiguous,
                fmt::format("{} entities are called \"{}\"; name one by its id:{}", found.size(), shown(name), list),
                found);
}

template <class G>
[[noreturn]] void refuse_unknown(const G& graph, const NameSearch& search, std::string_view name) {
  std::vector<EntityId> near;
  if (graph.entities() > kFewEntities) {
    near = search.beginning_alike(loosely(name));
  } else {
    for (EntityId e = 0; e < graph.entities(); ++e) near.push_back(e);
  }
  std::vector<std::string> names;
  names.reserve(near.size());
  for (const EntityId e : near) {
    const auto listed = names_in(graph.entity_name(e));
    if (!listed.empty()) names.push_back(shown(listed.front()));
  }
  refuse(Refusal::Reason::not_found, "no entity has the id or name \"{}\"{}", shown(name),
         did_you_mean(shown(name), names, kSuggestions));
}

[[noreturn]] void refuse_unknown_relation(const Graph& graph, const std::string& text) {
  std::vector<std::string> names;
  for (RelationId r = 0; r < graph.relations(); ++r) {
    names.push_back(shown(graph.relation_id(r)));
    if (graph.relation_text(r) != graph.relation_id(r)) names.push_back(shown(graph.relation_text(r)));
  }
  std::string advice = did_you_mean(shown(text), names, kSuggestions);
  if (advice.empty() && graph.relations() <= kFewRelations)
    advice = fmt::format("; expected one of: {}", fmt::join(names, ", "));
  refuse(Refusal::Reason::not_found, "no relation has the id or text \"{}\"{}", shown(text), advice);
}

}  // namespace

EntityId find_entity(const Graph& graph, const std::string& id_or_name) {
  if (const auto found = graph.find_entity(id_or_name)) return *found;
  std::vector<EntityId> found = graph.entities_named(id_or_name);
  std::optional<NameSearch> search;
  if (found.empty()) {
    search.emplace(graph);
    const NameSearch::Called called = search->called(loosely(id_or_name));
    found = called.listed.empty() ? called.whole : called.listed;
  }
  if (found.empty()) refuse_unknown(graph, *search, id_or_name);
  if (found.size() > 1) refuse_ambiguous(graph, id_or_name, found);
  return found.front();
}

RelationId find_relation(const Graph& graph, const std::string& id_or_text) {
  constexpr std::string_view kReverse = "reverse of ";
  if (const auto found = graph.find_relation(id_or_text)) return *found;
  std::vector<RelationId> named = graph.relations_named(id_or_text);
  if (named.empty()) named = relations_loosely_called(graph, id_or_text);
  if (named.size() == 1) return named.front();
  if (!named.empty())
    refuse(Refusal::Reason::ambiguous, "{} relations are called \"{}\"; name one by its id, such as {}", named.size(),
           shown(id_or_text), shown(graph.relation_id(named.front())));
  if (loosely(id_or_text).starts_with(kReverse)) {
    const std::size_t first = id_or_text.find_first_not_of(' ');
    return inverse(find_relation(graph, id_or_text.substr(first + kReverse.size())), graph.relations());
  }
  refuse_unknown_relation(graph, id_or_text);
}

struct Lookup::Lazy {
  std::once_flag once;
  std::optional<NameSearch> names;
};

Lookup::Lookup(const Graph& graph) : graph_(graph), lazy_(std::make_unique<Lazy>()) {}
Lookup::~Lookup() = default;

const NameSearch& Lookup::names() const {
  std::call_once(lazy_->once, [&] { lazy_->names.emplace(graph_); });
  return *lazy_->names;
}

void Lookup::prepare() const { names(); }

EntityId Lookup::entity(const LiveState& state, std::string_view id_or_name) const {
  if (const auto found = state.find_entity(id_or_name)) return *found;
  const std::vector<EntityId> live = state.live_entities_called(id_or_name);
  // What a change gave another text no longer has the name that the graph knows.
  const auto called_still = [&](std::vector<EntityId> entities) {
    std::erase_if(entities, [&](EntityId e) { return !state.is_alive(e) || state.is_live(e); });
    entities.insert(entities.end(), live.begin(), live.end());
    return entities;
  };
  std::vector<EntityId> found = called_still(graph_.entities_named(id_or_name));
  if (found.size() == live.size()) {
    const NameSearch::Called called = names().called(loosely(id_or_name));
    found = called_still(called.listed);
    if (found.empty()) found = called_still(called.whole);
  }
  if (found.empty()) refuse_unknown(graph_, names(), id_or_name);
  if (found.size() > 1) refuse_ambiguous(state, id_or_name, found);
  return found.front();
}

std::vector<EntityId> Lookup::search(const LiveState& state, std::string_view words, std::size_t limit) const {
  const std::string wanted = loosely(words);
  std::vector<NameSearch::Hit> hits = names().search(wanted, limit);
  std::erase_if(hits, [&](const auto& hit) { return !state.is_alive(hit.entity) || state.is_live(hit.entity); });
  for (const EntityId e : state.live_entities()) {
    const NameFit fit = std::min(name_fit(loosely(state.entity_name(e)), wanted),
                                 name_fit(loosely(state.entity_id(e)), wanted));
    if (fit != NameFit::none && !wanted.empty()) hits.push_back({e, fit, static_cast<std::uint32_t>(state.degree(e))});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
    return a.fit != b.fit ? a.fit < b.fit : a.degree > b.degree;
  });
  std::vector<EntityId> found;
  if (const auto by_id = state.find_entity(words)) found.push_back(*by_id);
  for (const NameSearch::Hit& hit : hits) {
    if (found.empty() || hit.entity != found.front()) found.push_back(hit.entity);
  }
  found.resize(std::min(found.size(), limit));
  return found;
}

}  // namespace hasa
