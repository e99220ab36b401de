#pragma once

#include <cstdint>
#include <vector>

#include "hasa/kg/graph.h"

namespace hasa {

/// How many tails a head of a relation has in training on average, and heads a tail: "1" below 1.5, "N" from there on
/// (Bordes et al., 2013). 1-N: one head, many tails.
enum class Cardinality : std::uint8_t { one_to_one, one_to_many, many_to_one, many_to_many, not_in_training };

/// Of each relation r < R.
std::vector<Cardinality> relation_cardinalities(const Graph& graph);

/// "1-1", "1-N", "N-1", "N-N", "not in training"
const char* to_string(Cardinality cardinality);

}  // namespace hasa
