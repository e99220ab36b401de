#pragma once

#include <cstdint>

#include "hasa/kg/graph.h"
#include "hasa/run/run.h"

namespace hasa {

/// Memory for opening a run of a model with a vector of dimension `dim` per entity, besides the program: a
/// file is mapped and copied while it is read; then vectors are computed, several of that size at a time.
std::int64_t bytes_of_vectors(const Run& run, const Graph& graph, std::int64_t dim);

/// Memory of a language model while it encodes a batch of texts.
constexpr std::int64_t kReadingBytes = std::int64_t{256} << 20;

}  // namespace hasa
