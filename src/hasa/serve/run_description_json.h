#pragma once

#include <string>

#include "hasa/serve/served_run.h"

namespace hasa {

/// The body of GET /v1/run: {"name", "model", "score", "graph", "entities", "relations", "triples", "scores", "curve",
/// "reads_text", "calibrated", "takes_changes"}; entities and triples as the state has them.
std::string run_json(const ServedRun& run, const LiveState& state);

/// The body of GET /v1/relations: {"relations": [{"id", "name", "inverse_name", "triples"}]}, triples of training.
std::string relations_json(const Graph& graph);

}  // namespace hasa
