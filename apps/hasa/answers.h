#pragma once

#include <span>
#include <string>

#include "hasa/kg/graph.h"
#include "hasa/serve/live_state.h"
#include "hasa/serve/question.h"

namespace hasa {

/// Names, scores and whether the link is known, for a terminal. `score`: a description of the scores.
std::string to_table(const LiveState& state, const Question& question, std::span<const Answer> answers,
                     const std::string& score);
std::string to_table(const LiveState& state, const RelationQuestion& question, std::span<const RelationAnswer> answers,
                     const std::string& score);

/// {"query": {"head" or "tail": {id, name, description} or {text}, "relation": {id, text}, "asks": "tail" or "head"},
///  "score": "cosine of query and entity",
///  "answers": [{"rank", "id", "name", "description", "score", "probability" where there is one,
///               "known": null, "train", "valid", "test" or "live"}]}
std::string to_json(const LiveState& state, const Question& question, std::span<const Answer> answers,
                    const std::string& score);
/// The same with {"head", "tail", "asks": "relation"} for a query, and {"rank", "id", "text", ...} for an answer.
std::string to_json(const LiveState& state, const RelationQuestion& question, std::span<const RelationAnswer> answers,
                    const std::string& score);

/// A triple, and its rank in both directions.
struct TripleStanding {
  Triple triple;
  Standing as_tail, as_head;
};
std::string to_table(const LiveState& state, const TripleStanding& standing, const std::string& score);
/// {"triple": {"head", "relation", "tail"}, "score": ..., "known", "as_tail": {"score", "rank", "candidates"},
/// "as_head"}
std::string to_json(const LiveState& state, const TripleStanding& standing, const std::string& score);

/// A triple one of whose entities is only a text.
std::string to_table(const LiveState& state, const Statement& statement, const Judgement& judgement,
                     const std::string& score);
/// {"triple": {"head", "relation", "tail"}, "score": ..., "known", "as_tail": {"score", "probability"}}
std::string to_json(const LiveState& state, const Statement& statement, const Judgement& judgement,
                    const std::string& score);

}  // namespace hasa
