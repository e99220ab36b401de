#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/neighbours.h"

namespace hasa {

/// How far apart two entities are in the undirected training graph.
enum class PairDistance : std::uint8_t { same, one, two, three, four_or_more, unreachable };

/// "0", "1", "2", "3", "4 or more", "unreachable"
const char* to_string(PairDistance distance);

/// Distances of pairs. Paths are sought from both ends, which meet in the middle: the neighbours of one end are marked,
/// and the other's neighbours, then theirs, looked up; the end with fewer such edges does the walking. Whether there is
/// a longer path is told by connected components, so no search runs into the depths.
class PairDistances {
 public:
  explicit PairDistances(const Graph& graph);

  /// Of head and tail of each triple, on several threads.
  std::vector<PairDistance> of(std::span<const Triple> triples) const;

 private:
  /// `marked` is all zeros, before and after.
  PairDistance between(EntityId a, EntityId b, std::vector<char>& marked) const;

  Neighbours neighbours_;
  std::vector<std::uint64_t> second_edges_;  // of each entity: edges of its neighbours
  std::vector<EntityId> component_;
};

}  // namespace hasa
