#pragma once

#include <array>
#include <cstdint>

#include "hasa/audit/train_pairs.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// How many triples of a split have their two ends linked by another training triple, in either direction.
struct LinkedPairs {
  std::uint64_t triples = 0, linked = 0;
  double fraction() const { return triples == 0 ? 0 : static_cast<double>(linked) / static_cast<double>(triples); }
};

/// By Split. A training triple does not count as its own link.
std::array<LinkedPairs, 3> count_linked_pairs(const Graph& graph, const TrainPairs& train);

}  // namespace hasa
