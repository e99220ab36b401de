#pragma once

#include <torch/types.h>

#include <cstddef>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/serve/reasons.h"

namespace hasa {

/// How like each entity is to the two ends of a triple that is asked about.
struct EndCosines {
  torch::Tensor heads, tails;  // [entities] float32 on the CPU
};

/// Cosines of all entities with two vectors: entities [n, dim] and their norms [n], head and tail [dim].
EndCosines end_cosines(const torch::Tensor& entities, const torch::Tensor& norms, const torch::Tensor& head,
                       const torch::Tensor& tail);

/// The training triples of a relation, below relations(), that are most like (head, relation, tail), best first; that
/// triple itself and the ones with its ends exchanged are left out. An end that is no entity of the graph is -1.
std::vector<FactReason> nearest_facts(const Graph& graph, const Triple& asked, const EndCosines& like,
                                      std::size_t count);

}  // namespace hasa
