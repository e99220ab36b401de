#pragma once

#include <cstdint>

#include "hasa/kg/graph.h"
#include "hasa/run/run.h"

namespace hasa {

/// What opening a run takes beside the program, where a model has a vector of `dim` numbers for each entity: a file is
/// mapped and copied while it is read; then vectors are computed, some of the same size at a time.
std::int64_t bytes_of_vectors(const Run& run, const Graph& graph, std::int64_t dim);

/// What a language model holds while it reads a batch of texts.
constexpr std::int64_t kReadingBytes = std::int64_t{256} << 20;

}  // namespace hasa
