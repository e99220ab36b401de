#include "hasa/serve/queries_file.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/refusal.h"

namespace hasa {
namespace {

constexpr std::string_view kAsked = "?";
constexpr std::size_t kQuestionsOfAPart = 256;

std::array<std::string, 3> fields_of(std::string_view line) {
  std::array<std::string, 3> fields;
  std::size_t count = 0;
  for (std::size_t from = 0; from <= line.size(); ++count) {
    const std::size_t tab = std::min(line.find('\t', from), line.size());
    if (count < fields.size()) fields[count] = std::string(line.substr(from, tab - from));
    from = tab + 1;
  }
  HASA_CHECK(count == fields.size(), config,
             "expected head, relation and tail separated by tabs, found {} field{}: \"{}\"", count,
             count == 1 ? "" : "s", shown(line));
  return fields;
}

FileQuestion question_of(const ServedRun& run, const LiveState& state, std::string_view line) {
  auto [head, relation, tail] = fields_of(line);
  const auto asked = (head == kAsked) + (relation == kAsked) + (tail == kAsked);
  HASA_CHECK(asked == 1, config, "expected one ? for what is asked, found {}: \"{}\"{}", asked, shown(line),
             asked == 0 ? "\nhasa score says how likely whole triples are" : "");
  const Graph& graph = state.graph();
  const auto entity = [&](std::string& name) {
    const EntityId found = run.lookup().entity(state, name);
    name = state.entity_id(found);
    return found;
  };
  if (relation == kAsked) {
    const EntityId h = entity(head), t = entity(tail);
    return {head, relation, tail, RelationQuestion{h, t}};
  }
  RelationId r = find_relation(graph, relation);
  if (r >= graph.relations()) {  // "reverse of ...": the same question asked from the other end
    r = inverse(r, graph.relations());
    std::swap(head, tail);
  }
  relation = graph.relation_id(r);
  if (tail == kAsked) {
    const EntityId h = entity(head);
    return {head, relation, tail, Question{h, r}};
  }
  const EntityId t = entity(tail);
  return {head, relation, tail, Question{t, inverse(r, graph.relations())}};
}

using Json = nlohmann::ordered_json;

/// What stands for the asked field in an answer.
std::string_view id_of(const LiveState& state, const Answer& answer) { return state.entity_id(answer.entity); }
std::string_view id_of(const LiveState& state, const RelationAnswer& answer) {
  return state.graph().relation_id(answer.relation);
}
std::string name_of(const LiveState& state, const Answer& answer) {
  return std::string(state.entity_name(answer.entity));
}
std::string name_of(const LiveState& state, const RelationAnswer& answer) {
  return state.graph().relation_text(answer.relation);
}

template <class A>
std::string tsv_lines(const LiveState& state, const FileQuestion& question, const std::vector<A>& answers) {
  std::string lines;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const A& answer = answers[i];
    const auto filled = [&](const std::string& field) {
      return field == kAsked ? id_of(state, answer) : std::string_view(field);
    };
    lines += fmt::format("{}\t{}\t{}\t{}\t{:.6g}\t{}\t{}\n", filled(question.head), filled(question.relation),
                         filled(question.tail), i + 1, answer.score,
                         answer.probability ? fmt::format("{:.4g}", *answer.probability) : "",
                         answer.known ? to_string(*answer.known) : "");
  }
  return lines;
}

template <class A>
std::string json_line(const LiveState& state, const FileQuestion& question, const std::vector<A>& answers) {
  Json json{{"head", question.head}, {"relation", question.relation}, {"tail", question.tail}};
  Json& list = json["answers"] = Json::array();
  for (const A& answer : answers) {
    Json each{{"id", id_of(state, answer)}, {"name", name_of(state, answer)}, {"score", answer.score}};
    each["probability"] = answer.probability ? Json(*answer.probability) : Json(nullptr);
    each["known"] = answer.known ? Json(to_string(*answer.known)) : Json(nullptr);
    list.push_back(std::move(each));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class A>
std::string lines_of(AnswersForm form, const LiveState& state, const FileQuestion& question,
                     const std::vector<A>& answers) {
  return form == AnswersForm::tsv ? tsv_lines(state, question, answers) : json_line(state, question, answers);
}

}  // namespace

std::vector<FileQuestion> read_questions(const ServedRun& run, const LiveState& state,
                                         const std::filesystem::path& file) {
  const std::string text = read_file(file);
  std::vector<FileQuestion> questions;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    try {
      questions.push_back(question_of(run, state, line));
    } catch (const Error& error) {
      fail(error.kind(), "{}:{}: {}", file.string(), number, error.what());
    }
  }
  HASA_CHECK(!questions.empty(), data, "{} asks nothing", file.string());
  return questions;
}

AnswersForm answers_form(const std::filesystem::path& file) {
  if (file.extension() == ".tsv") return AnswersForm::tsv;
  HASA_CHECK(file.extension() == ".jsonl", config, "{}: expected a name that ends in .tsv or .jsonl", file.string());
  return AnswersForm::jsonl;
}

void answer_questions(const Predictor& predictor, const LiveState& state, const std::vector<FileQuestion>& questions,
                      const AnswerFileOptions& options, const std::filesystem::path& file) {
  AtomicFile out(file);
  if (options.form == AnswersForm::tsv) out.write("head\trelation\ttail\trank\tscore\tprobability\tknown\n");
  Progress progress("answering", questions.size(), "questions");
  for (std::size_t first = 0; first < questions.size(); first += kQuestionsOfAPart) {
    const auto part = std::span(questions).subspan(first, std::min(kQuestionsOfAPart, questions.size() - first));
    std::vector<Question> entities;
    std::vector<RelationQuestion> relations;
    for (const FileQuestion& each : part) {
      if (const auto* question = std::get_if<Question>(&each.question)) {
        entities.push_back({question->given, question->relation, {.top = options.top, .new_only = options.new_only}});
      } else {
        const auto& between = std::get<RelationQuestion>(each.question);
        relations.push_back({between.head, between.tail, options.top, options.new_only});
      }
    }
    const auto answers = predictor.answers(state, entities);
    const auto between = predictor.relations(state, relations);
    std::size_t next = 0, next_between = 0;
    for (const FileQuestion& each : part) {
      out.write(std::holds_alternative<Question>(each.question)
                    ? lines_of(options.form, state, each, answers[next++])
                    : lines_of(options.form, state, each, between[next_between++]));
    }
    progress.advance(part.size());
  }
  out.commit();
}

}  // namespace hasa
