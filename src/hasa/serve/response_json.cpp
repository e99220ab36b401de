#include "hasa/serve/response_json.h"

#include <nlohmann/json.hpp>

#include "hasa/serve/front/problem.h"
#include "hasa/serve/name_resolver.h"

namespace hasa {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson or_null(const std::optional<double>& probability) {
  return probability ? OrderedJson(*probability) : OrderedJson(nullptr);
}

OrderedJson or_null(const std::optional<Known>& known) {
  return known ? OrderedJson(to_string(*known)) : OrderedJson(nullptr);
}

/// Adds score, probability and known.
template <class Judged>
OrderedJson with_judgement(OrderedJson json, const Judged& judged) {
  json["score"] = judged.score;
  json["probability"] = or_null(judged.probability);
  json["known"] = or_null(judged.known);
  return json;
}

OrderedJson fact_json(const EntityLink& link, const LiveState& state) {
  const Graph& graph = state.graph();
  const bool is_out = link.relation < graph.relations();
  const RelationId relation = is_out ? link.relation : inverse(link.relation, graph.relations());
  return {{"relation", graph.relation_id(relation)},
          {"relation_name", graph.relation_text(relation)},
          {"direction", is_out ? "out" : "in"},
          {"entity", {{"id", state.entity_id(link.neighbour)}, {"name", state.entity_name(link.neighbour)}}},
          {"split", to_string(link.known)}};
}

}  // namespace

HttpResponse json_response(const OrderedJson& body, int status) {
  return {.status = status, .body = body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)};
}

OrderedJson brief_json(EntityId entity, const LiveState& state) {
  return {{"id", state.entity_id(entity)},
          {"name", state.entity_name(entity)},
          {"description", state.entity_description(entity)}};
}

OrderedJson to_json(std::span<const Answer> answers, const LiveState& state) {
  OrderedJson list = OrderedJson::array();
  for (const Answer& each : answers) list.push_back(with_judgement(brief_json(each.entity, state), each));
  return list;
}

OrderedJson to_json(std::span<const RelationAnswer> answers, const LiveState& state) {
  OrderedJson list = OrderedJson::array();
  for (const RelationAnswer& each : answers) {
    list.push_back(with_judgement({{"id", state.graph().relation_id(each.relation)},
                                   {"name", state.graph().relation_text(each.relation)},
                                   {"description", ""}},
                                  each));
  }
  return list;
}

OrderedJson to_json(const Judgement& judgement) { return with_judgement(OrderedJson::object(), judgement); }

OrderedJson full_json(EntityId entity, const LiveState& state, std::size_t limit) {
  OrderedJson json = brief_json(entity, state);
  json["facts"] = OrderedJson::array();
  for (const EntityLink& link : state.links(entity, limit)) json["facts"].push_back(fact_json(link, state));
  const std::size_t degree = state.degree(entity);
  json["fact_count"] = degree;
  json["degree"] = degree;
  json["live"] = state.is_live(entity);
  return json;
}

HttpResponse response_to_exception(const LiveState& state) {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return to_response(to_problem(refusal, state, ""));
  } catch (...) {
    return response_to_exception();
  }
}

}  // namespace hasa
