#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/kg/adjacency.h"
#include "hasa/kg/neighbours.h"

namespace hasa {

/// Samples entities near a head: uniformly and with replacement from N2(h), the entities at distance 1 or 2 from
/// h in the undirected training graph, excluding h itself.
///
/// No N2(h) is ever stored. This is rejection sampling in one of two
/// ways, each of which accepts every member of N2(h) with the same probability:
///
///   paths     n of N(h) in proportion to its degree, then x of N(n), where h stands for n itself. There are
///             S(h) = sum of the degrees of N(h) such paths; of those that lead to the same x one is accepted, the
/// direct one if it exists, otherwise the one through the smallest n. S(h) / |N2(h)| proposals.
///   entities  x of all E entities, accepted if it is within two hops. E / |N2(h)| proposals.
///
/// So S(h) and E determine the cheaper one. |N2(h)| is at least the degree of h and of any neighbour, and
/// S(h) at most their product and at most twice the pairs P, hence no more than sqrt(2 P) proposals are
/// expected for any head of any graph; a star needs one or two.
class TwoHopSampler {
 public:
  enum class Proposal : std::uint8_t { cheaper, paths, entities };

  explicit TwoHopSampler(const Adjacency& adjacency);

  /// samples[i * count ..] are for heads[i]; all -1 if the head has no neighbour. They depend only
  /// on the seed, i and heads[i], not on the number of threads.
  void sample(std::span<const EntityId> heads, std::size_t count, std::uint64_t seed, std::span<EntityId> samples,
              Proposal proposal = Proposal::cheaper) const;

  /// Memory held: at most 8 bytes per entity and 16 for each end of a linked pair.
  std::size_t bytes() const { return neighbours_.bytes() + paths_.capacity() * sizeof(paths_[0]); }

 private:
  std::uint32_t num_paths(EntityId head) const;
  /// -1: refused.
  EntityId propose_path(EntityId head, Rng& rng) const;
  EntityId propose_entity(EntityId head, Rng& rng) const;

  Neighbours neighbours_;
  std::vector<std::uint32_t> paths_;  // for each neighbour: the paths through it and those before it
};

}  // namespace hasa
