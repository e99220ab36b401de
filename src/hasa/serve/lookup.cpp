#include "hasa/serve/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "hasa/base/shown_text.h"
#include "hasa/kg/fold_case.h"

namespace hasa {
namespace {

constexpr std::size_t kSuggestions = 5;
constexpr RelationId kFewRelations = 30;
constexpr std::size_t kDescriptionLength = 70;

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// The names in a list of them: "dog, domestic dog" -> "dog", "domestic dog".
std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    names.push_back(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return names;
}

/// What names and ids have in common however they are written: "Domestic_Dog" and "domestic dog".
std::string loosely(std::string_view text) {
  std::string folded = fold_case(text);
  std::replace(folded.begin(), folded.end(), '_', ' ');
  return trimmed(folded);
}

/// Entities that have the name in their list of names; if there are none, those whose whole name or id it is.
std::vector<EntityId> entities_loosely_called(const Graph& graph, const std::string& name) {
  const std::string wanted = loosely(name);
  std::vector<EntityId> listed, whole;
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const std::vector<std::string> names = names_in(graph.entity_name(e));
    const auto is_wanted = [&](std::string_view each) { return loosely(each) == wanted; };
    if (std::any_of(names.begin(), names.end(), is_wanted)) listed.push_back(e);
    if (is_wanted(graph.entity_name(e)) || is_wanted(graph.entity_id(e))) whole.push_back(e);
  }
  return listed.empty() ? whole : listed;
}

std::vector<RelationId> relations_loosely_called(const Graph& graph, const std::string& text) {
  const std::string wanted = loosely(text);
  std::vector<RelationId> found;
  for (RelationId r = 0; r < graph.relations(); ++r) {
    if (loosely(graph.relation_id(r)) == wanted || loosely(graph.relation_text(r)) == wanted) found.push_back(r);
  }
  return found;
}

[[noreturn]] void fail_ambiguous(const Graph& graph, const std::string& name, const std::vector<EntityId>& found) {
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), kSuggestions); ++i) {
    list += fmt::format("\n  {}  {}: {}", shown(graph.entity_id(found[i])), shown(graph.entity_name(found[i])),
                        shown(graph.entity_description(found[i]), kDescriptionLength));
  }
  if (found.size() > kSuggestions) list += fmt::format("\n  and {} more", found.size() - kSuggestions);
  fail(ErrorKind::data, "{} entities are called \"{}\"; name one by its id:{}", found.size(), shown(name), list);
}

[[noreturn]] void fail_unknown(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(graph.entities()));
  for (EntityId e = 0; e < graph.entities(); ++e) names.push_back(shown(names_in(graph.entity_name(e)).front()));
  fail(ErrorKind::data, "no entity has the id or name \"{}\"{}", shown(name),
       did_you_mean(shown(name), names, kSuggestions));
}

[[noreturn]] void fail_unknown_relation(const Graph& graph, const std::string& text) {
  std::vector<std::string> names;
  for (RelationId r = 0; r < graph.relations(); ++r) {
    names.push_back(shown(graph.relation_id(r)));
    if (graph.relation_text(r) != graph.relation_id(r)) names.push_back(shown(graph.relation_text(r)));
  }
  std::string advice = did_you_mean(shown(text), names, kSuggestions);
  if (advice.empty() && graph.relations() <= kFewRelations)
    advice = fmt::format("; expected one of: {}", fmt::join(names, ", "));
  fail(ErrorKind::data, "no relation has the id or text \"{}\"{}", shown(text), advice);
}

}  // namespace

EntityId find_entity(const Graph& graph, const std::string& id_or_name) {
  if (const auto found = graph.find_entity(id_or_name)) return *found;
  std::vector<EntityId> found = graph.entities_named(id_or_name);
  if (found.empty()) found = entities_loosely_called(graph, id_or_name);
  if (found.empty()) fail_unknown(graph, id_or_name);
  if (found.size() > 1) fail_ambiguous(graph, id_or_name, found);
  return found.front();
}

RelationId find_relation(const Graph& graph, const std::string& id_or_text) {
  constexpr std::string_view kReverse = "reverse of ";
  if (const auto found = graph.find_relation(id_or_text)) return *found;
  std::vector<RelationId> named = graph.relations_named(id_or_text);
  if (named.empty()) named = relations_loosely_called(graph, id_or_text);
  if (named.size() == 1) return named.front();
  HASA_CHECK(named.empty(), data, "{} relations are called \"{}\"; name one by its id, such as {}", named.size(),
             shown(id_or_text), shown(graph.relation_id(named.front())));
  if (loosely(id_or_text).starts_with(kReverse)) {
    return inverse(find_relation(graph, trimmed(id_or_text).substr(kReverse.size())), graph.relations());
  }
  fail_unknown_relation(graph, id_or_text);
}

}  // namespace hasa
