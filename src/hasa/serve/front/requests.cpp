#include "hasa/serve/front/requests.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "hasa/base/number_in.h"
#include "hasa/http/target.h"
#include "hasa/serve/front/json_fields.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

using nlohmann::json;

void check_length(const std::optional<std::string>& text, const std::string& path, const RequestLimits& limits) {
  if (!text || text->size() <= limits.text_bytes) return;
  refuse(ProblemKind::too_large, "{} has {} bytes, and {} is the limit", path, text->size(), limits.text_bytes);
}

AskedEnd read_end(JsonFields& fields, const char* side, const char* side_text, const RequestLimits& limits) {
  AskedEnd end{fields.text(side), fields.text(side_text)};
  check_length(end.entity, fields.path_of(side), limits);
  check_length(end.text, fields.path_of(side_text), limits);
  if (end.entity && end.text) {
    refuse(ProblemKind::malformed, "both {} and {}; give one", fields.path_of(side), fields.path_of(side_text));
  }
  return end;
}

AskedQuestion read_question(JsonFields& fields, std::string where, const RequestLimits& limits) {
  AskedQuestion question{.head = read_end(fields, "head", "head_text", limits),
                         .tail = read_end(fields, "tail", "tail_text", limits),
                         .relation = fields.text("relation"),
                         .where = std::move(where)};
  check_length(question.relation, fields.path_of("relation"), limits);
  const int given = int{question.head.given()} + int{question.tail.given()} + int{question.relation.has_value()};
  if (given == 3) {
    refuse(ProblemKind::malformed,
           "{}: head, relation and tail are all given; leave out what is asked for, or use "
           "/v1/score",
           question.where.empty() ? "the question" : question.where);
  }
  if (given < 2) {
    refuse(ProblemKind::malformed, "{}: expected two of head (or head_text), relation and tail (or tail_text)",
           question.where.empty() ? "the question" : question.where);
  }
  return question;
}

AskedTriple read_triple(JsonFields& fields, std::string where, Texts texts, const RequestLimits& limits) {
  AskedTriple triple;
  for (const auto& [name, name_of_text, end] :
       {std::tuple{"head", "head_text", &triple.head}, {"tail", "tail_text", &triple.tail}}) {
    if (texts == Texts::allowed) *end = read_end(fields, name, name_of_text, limits);
    if (!end->given()) end->entity = fields.required_text(name);
    check_length(end->entity, fields.path_of(name), limits);
  }
  triple.relation = fields.required_text("relation");
  check_length(triple.relation, fields.path_of("relation"), limits);
  triple.where = std::move(where);
  return triple;
}

/// Calls read(fields, where) for the document, or for each element of its list `name`. Returns whether it was a list.
template <class Read>
bool read_one_or_list(JsonFields& document, const char* name, std::size_t most, const Read& read) {
  const json* list = document.list(name, most);
  if (list == nullptr) {
    read(document, "");
    return false;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string where = fmt::format("{}[{}]", name, i);
    JsonFields fields((*list)[i], where);
    read(fields, where);
    fields.finish();
  }
  return true;
}

}  // namespace

PredictRequest read_predict_request(std::string_view body, const RequestLimits& limits) {
  const json document = parse_json(body);
  JsonFields fields(document, "");
  PredictRequest request;
  request.top = fields.count("top", request.top, 1, limits.top);
  request.new_only = fields.flag("new_only", false);
  request.occurs_with_relation = fields.flag("occurs_with_relation", false);
  request.candidates = fields.texts("candidates");
  if (request.candidates && request.candidates->size() > limits.batch) {
    refuse(ProblemKind::too_large, "candidates has {} elements, and {} is the limit", request.candidates->size(),
           limits.batch);
  }
  request.is_list = read_one_or_list(fields, "queries", limits.batch, [&](JsonFields& of, const std::string& where) {
    request.questions.push_back(read_question(of, where, limits));
  });
  fields.finish();
  return request;
}

TriplesRequest read_triples_request(std::string_view body, Texts texts, const RequestLimits& limits) {
  const json document = parse_json(body);
  JsonFields fields(document, "");
  TriplesRequest request;
  request.is_list = read_one_or_list(fields, "triples", limits.batch, [&](JsonFields& of, const std::string& where) {
    request.triples.push_back(read_triple(of, where, texts, limits));
  });
  fields.finish();
  return request;
}

ExplainRequest read_explain_request(std::string_view body, const RequestLimits& limits) {
  const json document = parse_json(body);
  JsonFields fields(document, "");
  ExplainRequest request{read_question(fields, "", limits), fields.required_text("answer")};
  check_length(request.answer, "answer", limits);
  fields.finish();
  return request;
}

EntityText read_entity_text(std::string_view body, const RequestLimits& limits) {
  const json document = parse_json(body);
  JsonFields fields(document, "");
  EntityText text{fields.required_text("name"), fields.any_text("description").value_or("")};
  check_length(text.name, "name", limits);
  check_length(text.description, "description", limits);
  fields.finish();
  return text;
}

SearchRequest read_search_request(std::string_view query, const RequestLimits& limits, const SearchRequest& otherwise) {
  const auto parameters = query_parameters(query);
  if (!parameters) refuse(ProblemKind::malformed, "the query of the URL does not decode; write a % as %25");
  SearchRequest request = otherwise;
  for (const auto& [name, value] : *parameters) {
    if (name == "q") {
      request.words = value;
    } else if (name == "limit") {
      const auto count = number_in<std::int64_t>(value);
      if (!count) refuse(ProblemKind::malformed, "expected limit to be a whole number");
      if (*count < 1 || *count > limits.top) {
        refuse(ProblemKind::unanswerable, "expected limit to be from 1 to {}, found {}", limits.top, *count);
      }
      request.limit = *count;
    } else {
      refuse(ProblemKind::malformed, "unknown parameter of the URL; expected q or limit");
    }
  }
  check_length(request.words, "q", limits);
  return request;
}

}  // namespace hasa
