#include "hasa/families/rules/rule_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

std::string atom(const Graph& graph, RelationId relation, std::string_view from, std::string_view to) {
  const bool inverted = relation >= graph.relations();
  const RelationId plain = inverted ? inverse(relation, graph.relations()) : relation;
  return fmt::format("{}({}, {})", shown(graph.relation_text(plain)), inverted ? to : from, inverted ? from : to);
}

}  // namespace

std::string to_words(const Rule& rule, const Graph& graph) {
  const auto name = [&](EntityId entity) { return shown(graph.entity_name(entity)); };
  switch (rule.kind) {
    case RuleKind::frequency: return atom(graph, rule.relation, "X", name(rule.answer));
    case RuleKind::constant:
      return atom(graph, rule.relation, "X", name(rule.answer)) +
             "  <=  " + atom(graph, rule.first, "X", name(rule.given));
    case RuleKind::edge: return atom(graph, rule.relation, "X", "Y") + "  <=  " + atom(graph, rule.first, "X", "Y");
    case RuleKind::path:
      return atom(graph, rule.relation, "X", "Y") + "  <=  " + atom(graph, rule.first, "X", "Z") + ", " +
             atom(graph, rule.second, "Z", "Y");
  }
  return "";
}

std::string to_words(const Firing& firing, const Graph& graph) {
  constexpr std::size_t kNamed = 3;
  const Rule& rule = firing.rule;
  std::string words =
      fmt::format("{:.3f} ({} of {})  {}", rule.confidence, rule.support, rule.body, to_words(rule, graph));
  for (std::size_t i = 0; i < std::min(kNamed, firing.middles.size()); ++i)
    words += fmt::format("{}{}", i == 0 ? "  with Z = " : ", ", shown(graph.entity_name(firing.middles[i])));
  if (firing.middles.size() > kNamed) words += fmt::format(" and {} more", firing.middles.size() - kNamed);
  return words;
}

}  // namespace hasa
