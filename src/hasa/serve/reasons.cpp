#include "hasa/serve/reasons.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(EntityId entity, const LiveState& state) {
  return {{"id", state.entity_id(entity)}, {"name", state.entity_name(entity)}};
}

/// A hop with the triple's own relation, and whether it leads out of where one stands or into it.
Json json_of(const WalkedEdge& edge, const LiveState& state) {
  const Graph& graph = state.graph();
  const bool is_out = edge.relation < graph.relations();
  const RelationId relation = is_out ? edge.relation : inverse(edge.relation, graph.relations());
  return {{"from", json_of(edge.from, state)},
          {"relation", graph.relation_id(relation)},
          {"relation_name", graph.relation_text(relation)},
          {"direction", is_out ? "out" : "in"},
          {"to", json_of(edge.to, state)}};
}

Json json_of(const PathReason& path, const LiveState& state) {
  const Graph& graph = state.graph();
  Json steps = Json::array();
  std::string text(state.entity_name(path.edges.front().from));
  for (const WalkedEdge& edge : path.edges) {
    steps.push_back(json_of(edge, state));
    text += fmt::format(" -{}-> {}", graph.relation_text(edge.relation), state.entity_name(edge.to));
  }
  return {{"text", text}, {"weight", path.weight}, {"steps", steps}};
}

Json json_of(const RuleReason& rule, const LiveState& state) {
  Json middles = Json::array();
  for (const EntityId entity : rule.middles) middles.push_back(json_of(entity, state));
  return {{"text", rule.text},
          {"confidence", rule.confidence},
          {"support", rule.support},
          {"body", rule.body},
          {"middles", middles}};
}

Json json_of(const FactReason& fact, const LiveState& state) {
  const auto& [head, relation, tail] = fact.triple;
  const Graph& graph = state.graph();
  return {{"text", fmt::format("{} — {} → {}", state.entity_name(head), graph.relation_text(relation),
                               state.entity_name(tail))},
          {"similarity", fact.similarity},
          {"head", json_of(head, state)},
          {"relation", graph.relation_id(relation)},
          {"relation_name", graph.relation_text(relation)},
          {"tail", json_of(tail, state)}};
}

template <class Reason>
Json list_of(const std::vector<Reason>& reasons, const LiveState& state) {
  Json list = Json::array();
  for (const Reason& reason : reasons) list.push_back(json_of(reason, state));
  return list;
}

}  // namespace

Json to_json(const Reasons& reasons, const LiveState& state, RelationId relation) {
  const bool head_is_given = relation < state.graph().relations();
  const Judgement& judged = reasons.judgement;
  Json words = Json::array();
  for (const WordReason& word : reasons.words) {
    words.push_back(
        {{"word", word.word}, {"weight", word.weight}, {"of", word.of_answer == head_is_given ? "tail" : "head"}});
  }
  return {{"score", judged.score},
          {"probability", judged.probability ? Json(*judged.probability) : Json(nullptr)},
          {"known", judged.known ? Json(to_string(*judged.known)) : Json(nullptr)},
          {"rules", list_of(reasons.rules, state)},
          {"paths", list_of(reasons.paths, state)},
          {"facts", list_of(reasons.facts, state)},
          {"words", words}};
}

}  // namespace hasa
