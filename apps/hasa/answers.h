#pragma once

#include <span>
#include <string>

#include "hasa/kg/graph.h"
#include "hasa/serve/predictor.h"

namespace hasa {

/// What was asked: the entity that was given, and the relation as seen from it (an inverse asks for heads).
struct Question {
  EntityId entity;
  RelationId relation;
};

/// Names, scores and whether the link is already known, for a terminal.
std::string to_table(const Graph& graph, const Question& question, std::span<const Answer> answers);

/// {"query": {"head" or "tail": {id, name}, "relation": {id, text}, "asks": "tail" or "head"},
///  "answers": [{"rank", "id", "name", "score", "known": null, "train", "valid" or "test"}]}
std::string to_json(const Graph& graph, const Question& question, std::span<const Answer> answers);

}  // namespace hasa
