#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hasa/kg/neighbours.h"

namespace hasa {

using EntityPair = std::pair<EntityId, EntityId>;

/// No path leads from one to the other.
inline constexpr std::int32_t kNoPath = -1;

/// Lengths of the shortest paths between the two of each pair, 0 for one and the same entity.
///
/// Breadth-first searches from 64 sources go side by side: an entity has a bit for each source that has reached it, so
/// one pass over the edges takes all 64 a step further. A search ends when all of its targets are found. With S distinct
/// first entities that is S / 64 searches of at most diameter passes, on several threads.
std::vector<std::int32_t> path_lengths(const Neighbours& graph, std::span<const EntityPair> pairs);

}  // namespace hasa
