#include "answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr std::size_t kNameWidth = 36;
constexpr std::size_t kDescriptionWidth = 60;

bool asks_tail(const Graph& graph, const Question& question) { return question.relation < graph.relations(); }

nlohmann::ordered_json json_of(const Graph& graph, EntityId entity) {
  return {{"id", graph.entity_id(entity)}, {"name", graph.entity_name(entity)}};
}

}  // namespace

std::string to_table(const Graph& graph, const Question& question, std::span<const Answer> answers) {
  const bool tail = asks_tail(graph, question);
  const std::string relation =
      shown(graph.relation_text(tail ? question.relation : inverse(question.relation, graph.relations())));
  const std::string given = shown(graph.entity_name(question.entity));
  std::string table = fmt::format("({}, {}, {})\n", tail ? given : "?", relation, tail ? "?" : given);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& a = answers[i];
    table += fmt::format("{:>4}  {:.3f}  {:<6}{}  {}\n", i + 1, a.score, a.known ? to_string(*a.known) : "new",
                         shown_in_column(graph.entity_name(a.entity), kNameWidth),
                         shown_in_column(graph.entity_description(a.entity), kDescriptionWidth));
    table.erase(table.find_last_not_of(" \n") + 1);
    table += '\n';
  }
  return table;
}

std::string to_json(const Graph& graph, const Question& question, std::span<const Answer> answers) {
  const bool tail = asks_tail(graph, question);
  const RelationId relation = tail ? question.relation : inverse(question.relation, graph.relations());
  nlohmann::ordered_json json;
  json["query"] = {{tail ? "head" : "tail", json_of(graph, question.entity)},
                   {"relation", {{"id", graph.relation_id(relation)}, {"text", graph.relation_text(relation)}}},
                   {"asks", tail ? "tail" : "head"}};
  json["answers"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    nlohmann::ordered_json answer{{"rank", i + 1}};
    answer.update(json_of(graph, answers[i].entity));
    answer["score"] = answers[i].score;
    answer["known"] = answers[i].known ? nlohmann::ordered_json(to_string(*answers[i].known)) : nullptr;
    json["answers"].push_back(std::move(answer));
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hasa
