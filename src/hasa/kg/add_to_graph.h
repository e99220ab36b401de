#pragma once

#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/read_triples.h"

namespace hasa {

/// The graph with further triples, and with new and changed texts. Entities and relations keep their numbers, new ones
/// follow; a triple that any split has already is left out and counted. The result remembers what it grew from
/// (kg/lineage.h). The options' split is not used: new triples go into the one that is named.
Graph add_to_graph(const Graph& graph, const std::vector<std::string>& files, const TextFiles& texts,
                   const ReadTriplesOptions& options, Split into = Split::train);

}  // namespace hasa
