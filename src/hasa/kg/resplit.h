#pragma once

#include "hasa/kg/graph.h"
#include "hasa/kg/split.h"

namespace hasa {

/// The same entities, relations, texts and triples in other splits; ids keep their numbers. A triple that
/// occurs several times is kept once. The graph's source names the split, so that certificates do.
Graph resplit(const Graph& graph, const SplitOptions& options);

/// "split by leakage-free, seed 1, 5% valid, 5% test"
std::string describe(const SplitOptions& options);

}  // namespace hasa
