#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/pair_distance.h"

namespace hasa {

/// How training hangs together, without regard to the direction of links.
struct GraphShape {
  /// Entities of degree 0, 1, 2 to 3, 4 to 7, ... in training.
  std::vector<std::uint64_t> degrees;
  std::uint64_t components = 0;  ///< of two entities or more
  std::uint64_t largest = 0;     ///< entities of the largest
  /// How far apart the ends of valid and test triples are in training: by Split, then by PairDistance. A sample, where
  /// there are many.
  std::array<std::array<std::uint64_t, 6>, 3> distances = {};
  std::uint64_t test_across_components = 0;  ///< test triples between seen entities of different components
};

/// `most`: triples of a split whose distance is measured, drawn by a fixed seed.
GraphShape shape_of(const Graph& graph, std::size_t most = 20'000);

}  // namespace hasa
