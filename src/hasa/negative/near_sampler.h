#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/kg/adjacency.h"
#include "hasa/kg/neighbours.h"
#include "hasa/negative/negatives_config.h"
#include "hasa/negative/two_hop.h"

namespace hasa {

/// Draws entities near a head with replacement, by one of the measures of the undirected training graph; these are
/// HaSa's alpha(t | h, r). N(x) are the neighbours of x, and the head itself is never drawn.
///
///   paths             uniformly from within two steps (TwoHopSampler); the paper's
///   common_neighbours x in proportion to |N(h) & N(x)|
///   adamic_adar       x in proportion to the sum of 1 / log |N(n)| over n in N(h) & N(x)
///   page_rank         where a walker from h stands who stops with probability .15 before each step: x in proportion
///                     to its PageRank personalised to h
///
/// The second and third walk two steps, over n in proportion to what it counts for; the last walks. Nothing of the
/// size of N2(h) is held.
class NearSampler {
 public:
  NearSampler(const Adjacency& adjacency, NearMeasure measure);

  /// samples[i * count ..] are for heads[i]; -1 in every place where there is nobody to draw. They depend on the seed,
  /// i and heads[i] alone.
  void sample(std::span<const EntityId> heads, std::size_t count, std::uint64_t seed,
              std::span<EntityId> samples) const;

 private:
  EntityId over_a_neighbour(EntityId head, Rng& rng) const;
  EntityId by_walking(EntityId head, Rng& rng) const;

  NearMeasure measure_;
  std::optional<TwoHopSampler> two_hop_;
  std::optional<Neighbours> neighbours_;
  std::vector<double> weights_;  // beside each neighbour n: what the paths over it count for, and over those before it
};

}  // namespace hasa
