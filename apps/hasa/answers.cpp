#include "answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "hasa/base/progress_line.h"
#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr std::size_t kNameWidth = 36;
constexpr std::size_t kDescriptionWidth = 60;

bool asks_tail(const Graph& graph, const PlainQuestion& question) { return question.relation < graph.relations(); }

using Json = nlohmann::ordered_json;

Json json_of(const Graph& graph, EntityId entity) {
  return {{"id", graph.entity_id(entity)},
          {"name", graph.entity_name(entity)},
          {"description", graph.entity_description(entity)}};
}

Json json_of_relation(const Graph& graph, RelationId relation) {
  return {{"id", graph.relation_id(relation)}, {"text", graph.relation_text(relation)}};
}

Json json_of(const std::optional<Split>& known) { return known ? Json(to_string(*known)) : Json(nullptr); }

/// Texts are as the graph has them; bytes that are no UTF-8 would end the document.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

const char* word_for(const std::optional<Split>& known) { return known ? to_string(*known) : "new"; }

std::string number(float score) { return fmt::format("{:.3f}", score); }

std::string explained(const std::string& score) {
  return fmt::format("score: {}; the higher, the likelier\n", shown(score));
}

}  // namespace

std::string to_table(const Graph& graph, const PlainQuestion& question, std::span<const PlainAnswer> answers,
                     const std::string& score) {
  const bool tail = asks_tail(graph, question);
  const std::string relation =
      shown(graph.relation_text(tail ? question.relation : inverse(question.relation, graph.relations())));
  const std::string given = shown(graph.entity_name(question.entity));
  std::string table = fmt::format("({}, {}, {})\n", tail ? given : "?", relation, tail ? "?" : given);
  std::size_t widest = 0;
  for (const PlainAnswer& a : answers) widest = std::max(widest, number(a.score).size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PlainAnswer& a = answers[i];
    table += fmt::format("{:>4}  {:>{}}  {:<6}{}  {}\n", i + 1, number(a.score), widest, word_for(a.known),
                         shown_in_column(graph.entity_name(a.entity), kNameWidth),
                         shown_in_column(graph.entity_description(a.entity), kDescriptionWidth));
    table.erase(table.find_last_not_of(" \n") + 1);
    table += '\n';
  }
  return table + explained(score);
}

std::string to_json(const Graph& graph, const PlainQuestion& question, std::span<const PlainAnswer> answers,
                    const std::string& score) {
  const bool tail = asks_tail(graph, question);
  const RelationId relation = tail ? question.relation : inverse(question.relation, graph.relations());
  Json json;
  json["query"] = {{tail ? "head" : "tail", json_of(graph, question.entity)},
                   {"relation", json_of_relation(graph, relation)},
                   {"asks", tail ? "tail" : "head"}};
  json["score"] = score;
  json["answers"] = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Json answer{{"rank", i + 1}};
    answer.update(json_of(graph, answers[i].entity));
    answer["score"] = answers[i].score;
    answer["known"] = json_of(answers[i].known);
    json["answers"].push_back(std::move(answer));
  }
  return dump(json);
}

std::string to_table(const Graph& graph, const TripleStanding& of, const std::string& score) {
  const std::string head = shown(graph.entity_name(of.triple.head)), tail = shown(graph.entity_name(of.triple.tail)),
                    relation = shown(graph.relation_text(of.triple.relation));
  std::string table = fmt::format("({}, {}, {})  {}\n", head, relation, tail, word_for(of.as_tail.answer.known));
  const std::size_t widest = std::max(number(of.as_tail.answer.score).size(), number(of.as_head.answer.score).size());
  const auto line = [&](const PlainStanding& standing, const std::string& question) {
    table += fmt::format("  {:>{}}  place {} of {} in {}\n", number(standing.answer.score), widest,
                         format_count(static_cast<std::uint64_t>(standing.rank)),
                         format_count(static_cast<std::uint64_t>(standing.candidates)), question);
  };
  line(of.as_tail, fmt::format("({}, {}, ?)", head, relation));
  line(of.as_head, fmt::format("(?, {}, {})", relation, tail));
  return table + explained(score);
}

std::string to_json(const Graph& graph, const TripleStanding& of, const std::string& score) {
  const auto json_of_standing = [](const PlainStanding& standing) {
    return Json{{"score", standing.answer.score}, {"rank", standing.rank}, {"candidates", standing.candidates}};
  };
  Json json;
  json["triple"] = {{"head", json_of(graph, of.triple.head)},
                    {"relation", json_of_relation(graph, of.triple.relation)},
                    {"tail", json_of(graph, of.triple.tail)}};
  json["score"] = score;
  json["known"] = json_of(of.as_tail.answer.known);
  json["as_tail"] = json_of_standing(of.as_tail);
  json["as_head"] = json_of_standing(of.as_head);
  return dump(json);
}

}  // namespace hasa
