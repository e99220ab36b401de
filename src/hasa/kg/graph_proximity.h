#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/neighbours.h"
#include "hasa/kg/pair_paths.h"

namespace hasa {

/// How near two entities are in the undirected training graph, the greater the nearer. N(x) are the neighbours of x.
enum class Proximity : std::uint8_t {
  path,              ///< -length of the shortest path; without a path less than with any
  common_neighbours, ///< |N(a) & N(b)|
  adamic_adar,       ///< sum over c in N(a) & N(b) of 1 / log |N(c)|
  katz,              ///< sum over lengths l of decay^l times the walks of length l from a to b
  page_rank,         ///< of b, personalised to a: where a walker is that returns to a with probability .15 at each step
};
inline constexpr Proximity kProximities[] = {Proximity::path, Proximity::common_neighbours, Proximity::adamic_adar,
                                             Proximity::katz, Proximity::page_rank};
/// "shortest path", "common neighbours", "Adamic-Adar", "Katz", "personalised PageRank"
const char* to_string(Proximity proximity);

struct ProximityOptions {
  /// Of Katz: half the inverse of the greatest eigenvalue of the adjacency matrix, where it is 0.
  double katz_decay = 0;
  /// Walks of Katz that are longer, and steps of the walker past these, are not counted. With the default decay, and
  /// with returns of .15, what is left out is less than 2^-steps of the greatest value, and .85^steps of the whole.
  int katz_steps = 8;
  int page_rank_steps = 30;
};

/// Of each pair. Pairs with the same first entity share most of the work.
std::vector<double> proximities(const Neighbours& graph, std::span<const EntityPair> pairs, Proximity proximity,
                                const ProximityOptions& options = {});

/// The greatest eigenvalue of the adjacency matrix, by iteration: from below, within a thousandth or so.
double greatest_eigenvalue(const Neighbours& graph);

}  // namespace hasa
