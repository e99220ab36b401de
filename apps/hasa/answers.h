#pragma once

#include <span>
#include <string>

#include "hasa/kg/graph.h"
#include "hasa/serve/plain_predictor.h"

namespace hasa {

/// What was asked: the entity that was given, and the relation as seen from it (an inverse asks for heads).
struct PlainQuestion {
  EntityId entity;
  RelationId relation;
};

/// Names, scores and whether the link is already known, for a terminal. `score`: what a score is, in words.
std::string to_table(const Graph& graph, const PlainQuestion& question, std::span<const PlainAnswer> answers,
                     const std::string& score);

/// {"query": {"head" or "tail": {id, name, description}, "relation": {id, text}, "asks": "tail" or "head"},
///  "score": "cosine of query and entity",
///  "answers": [{"rank", "id", "name", "description", "score", "known": null, "train", "valid" or "test"}]}
std::string to_json(const Graph& graph, const PlainQuestion& question, std::span<const PlainAnswer> answers,
                    const std::string& score);

/// A triple, and where it stands among the answers from either end.
struct TripleStanding {
  Triple triple;
  PlainStanding as_tail, as_head;
};
std::string to_table(const Graph& graph, const TripleStanding& standing, const std::string& score);
/// {"triple": {"head", "relation", "tail"}, "score": ..., "known", "as_tail": {"score", "rank", "candidates"},
/// "as_head"}
std::string to_json(const Graph& graph, const TripleStanding& standing, const std::string& score);

}  // namespace hasa
