#include "answers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "hasa/base/display_width.h"
#include "hasa/base/progress_line.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/terminal_columns.h"
#include "hasa/serve/known_links.h"

namespace hasa {
namespace {

constexpr std::size_t kNameWidth = 36;
constexpr std::size_t kDescriptionWidth = 60, kLeastDescriptionWidth = 10;

bool asks_tail(const LiveState& state, const Question& question) {
  return question.relation < state.graph().relations();
}

using Json = nlohmann::ordered_json;

Json json_of(const LiveState& state, const Given& given) {
  if (const auto* unseen = std::get_if<UnseenEntity>(&given)) {
    return {{"text", unseen->description.empty() ? unseen->name : unseen->name + ": " + unseen->description}};
  }
  const EntityId entity = std::get<EntityId>(given);
  return {{"id", state.entity_id(entity)},
          {"name", state.entity_name(entity)},
          {"description", state.entity_description(entity)}};
}

Json json_of_relation(const LiveState& state, RelationId relation) {
  return {{"id", state.graph().relation_id(relation)}, {"text", state.graph().relation_text(relation)}};
}

Json json_of(const std::optional<Known>& known) { return known ? Json(to_string(*known)) : Json(nullptr); }

/// Fields common to all kinds of answers.
template <class A>
void add_scores(const A& answer, Json& json) {
  json["score"] = answer.score;
  if (answer.probability) json["probability"] = *answer.probability;
  json["known"] = json_of(answer.known);
}

/// Texts are the graph's; invalid UTF-8 would break the document.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

const char* word_for(const std::optional<Known>& known) { return known ? to_string(*known) : "new"; }

std::string number(float score) { return fmt::format("{:.3f}", score); }

/// "score", and the probability if there is one.
template <class A>
std::string numbers(const A& answer, std::size_t widest) {
  const std::string score = fmt::format("{:>{}}", number(answer.score), widest);
  return answer.probability ? fmt::format("{}  {:>5.1f}%", score, 100 * *answer.probability) : score;
}

template <class A>
std::size_t widest_number(std::span<const A> answers) {
  std::size_t widest = 0;
  for (const A& answer : answers) widest = std::max(widest, number(answer.score).size());
  return widest;
}

std::string explained(const std::string& score, bool has_probability) {
  return fmt::format("score: {}; higher is likelier\n{}", shown(score),
                     has_probability ? "%: how often such answers were true on the validation split\n" : "");
}

template <class A>
bool any_probability(std::span<const A> answers) {
  return std::any_of(answers.begin(), answers.end(), [](const A& a) { return a.probability.has_value(); });
}

std::string name_of(const LiveState& state, const Given& given) {
  const auto* unseen = std::get_if<UnseenEntity>(&given);
  return unseen != nullptr ? shown(unseen->name, kNameWidth) : shown(state.entity_name(std::get<EntityId>(given)));
}

/// Descriptions are cut so that a line fits the terminal, if stdout is one.
std::string line_of(std::size_t rank, const std::string& numbers, const std::optional<Known>& known,
                    const std::string& name, std::string_view description) {
  std::string line = fmt::format("{:>4}  {}  {:<6}{}  ", rank, numbers, word_for(known), name);
  const std::size_t used = display_width(line),
                    columns = terminal_columns(STDOUT_FILENO).value_or(std::string::npos);
  const std::size_t left = columns > used ? columns - used : 0;
  if (left >= kLeastDescriptionWidth) line += shown(description, std::min(left, kDescriptionWidth));
  line.erase(line.find_last_not_of(" \n") + 1);
  return line + '\n';
}

std::size_t widest_name(const LiveState& state, std::span<const Answer> answers) {
  std::size_t widest = 0;
  for (const Answer& a : answers)
    widest = std::max(widest, display_width(shown(state.entity_name(a.entity), kNameWidth)));
  return widest;
}

}  // namespace

std::string to_table(const LiveState& state, const Question& question, std::span<const Answer> answers,
                     const std::string& score) {
  const bool tail = asks_tail(state, question);
  const Graph& graph = state.graph();
  const std::string relation =
      shown(graph.relation_text(tail ? question.relation : inverse(question.relation, graph.relations())));
  const std::string given = name_of(state, question.given);
  std::string table = fmt::format("({}, {}, {})\n", tail ? given : "?", relation, tail ? "?" : given);
  const std::size_t widest = widest_number(answers), name_width = widest_name(state, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& a = answers[i];
    table += line_of(i + 1, numbers(a, widest), a.known, shown_in_column(state.entity_name(a.entity), name_width),
                     state.entity_description(a.entity));
  }
  return table + explained(score, any_probability(answers));
}

std::string to_table(const LiveState& state, const RelationQuestion& question, std::span<const RelationAnswer> answers,
                     const std::string& score) {
  std::string table = fmt::format("({}, ?, {})\n", name_of(state, question.head), name_of(state, question.tail));
  const std::size_t widest = widest_number(answers);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    table += line_of(i + 1, numbers(answers[i], widest), answers[i].known,
                     shown(state.graph().relation_text(answers[i].relation)), "");
  }
  return table + explained(score, any_probability(answers));
}

std::string to_json(const LiveState& state, const Question& question, std::span<const Answer> answers,
                    const std::string& score) {
  const bool tail = asks_tail(state, question);
  const RelationId relation = tail ? question.relation : inverse(question.relation, state.graph().relations());
  Json json;
  json["query"] = {{tail ? "head" : "tail", json_of(state, question.given)},
                   {"relation", json_of_relation(state, relation)},
                   {"asks", tail ? "tail" : "head"}};
  json["score"] = score;
  json["answers"] = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Json answer{{"rank", i + 1}};
    answer.update(json_of(state, Given(answers[i].entity)));
    add_scores(answers[i], answer);
    json["answers"].push_back(std::move(answer));
  }
  return dump(json);
}

std::string to_json(const LiveState& state, const RelationQuestion& question, std::span<const RelationAnswer> answers,
                    const std::string& score) {
  Json json;
  json["query"] = {
      {"head", json_of(state, question.head)}, {"tail", json_of(state, question.tail)}, {"asks", "relation"}};
  json["score"] = score;
  json["answers"] = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Json answer{{"rank", i + 1}};
    answer.update(json_of_relation(state, answers[i].relation));
    add_scores(answers[i], answer);
    json["answers"].push_back(std::move(answer));
  }
  return dump(json);
}

std::string to_table(const LiveState& state, const TripleStanding& of, const std::string& score) {
  const std::string head = shown(state.entity_name(of.triple.head)), tail = shown(state.entity_name(of.triple.tail)),
                    relation = shown(state.graph().relation_text(of.triple.relation));
  std::string table = fmt::format("({}, {}, {})  {}\n", head, relation, tail, word_for(of.as_tail.answer.known));
  const std::size_t widest = std::max(number(of.as_tail.answer.score).size(), number(of.as_head.answer.score).size());
  const auto line = [&](const Standing& standing, const std::string& question) {
    table += fmt::format("  {}  rank {} of {} in {}\n", numbers(standing.answer, widest),
                         format_count(static_cast<std::uint64_t>(standing.rank)),
                         format_count(static_cast<std::uint64_t>(standing.candidates)), question);
  };
  line(of.as_tail, fmt::format("({}, {}, ?)", head, relation));
  line(of.as_head, fmt::format("(?, {}, {})", relation, tail));
  return table + explained(score, of.as_tail.answer.probability.has_value());
}

std::string to_json(const LiveState& state, const TripleStanding& of, const std::string& score) {
  const auto json_of_standing = [](const Standing& standing) {
    Json json{{"score", standing.answer.score}, {"rank", standing.rank}, {"candidates", standing.candidates}};
    if (standing.answer.probability) json["probability"] = *standing.answer.probability;
    return json;
  };
  Json json;
  json["triple"] = {{"head", json_of(state, Given(of.triple.head))},
                    {"relation", json_of_relation(state, of.triple.relation)},
                    {"tail", json_of(state, Given(of.triple.tail))}};
  json["score"] = score;
  json["known"] = json_of(of.as_tail.answer.known);
  json["as_tail"] = json_of_standing(of.as_tail);
  json["as_head"] = json_of_standing(of.as_head);
  return dump(json);
}

std::string to_table(const LiveState& state, const Statement& of, const Judgement& judgement,
                     const std::string& score) {
  const std::string relation = shown(state.graph().relation_text(of.relation));
  return fmt::format("({}, {}, {})  {}\n  {}\n{}", name_of(state, of.head), relation, name_of(state, of.tail),
                     word_for(judgement.known), numbers(judgement, 0),
                     explained(score, judgement.probability.has_value()));
}

std::string to_json(const LiveState& state, const Statement& of, const Judgement& judgement, const std::string& score) {
  Json json;
  json["triple"] = {{"head", json_of(state, of.head)},
                    {"relation", json_of_relation(state, of.relation)},
                    {"tail", json_of(state, of.tail)}};
  json["score"] = score;
  json["known"] = json_of(judgement.known);
  json["as_tail"] = {{"score", judgement.score}};
  if (judgement.probability) json["as_tail"]["probability"] = *judgement.probability;
  return dump(json);
}

}  // namespace hasa
