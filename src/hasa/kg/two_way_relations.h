#pragma once

#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"

namespace hasa {

/// For each relation whether it holds both ways: more than half of its training triples are there with their ends
/// exchanged too, as of "similar to". A triple of an entity with itself counts for neither.
std::vector<bool> two_way_relations(const Graph& graph, const KnownAnswers& of_training);

}  // namespace hasa
