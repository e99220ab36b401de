#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hasa/kg/audit.h"
#include "hasa/kg/triple.h"

namespace hasa {

struct SplitOptions {
  double valid = 0.05;  ///< share of the triples
  double test = 0.05;
  /// Share of the entities to keep out of training: all their triples go to valid or test, and those splits
  /// are filled up with other triples to their shares. 0: every entity of valid and test is seen in training.
  double unseen_entities = 0.0;
  std::uint64_t seed = 1;
};

using SplitTriples = std::array<std::vector<Triple>, 3>;  // by Split

/// Deals distinct triples out by the seed; each split keeps their order. A triple leaves training only if
/// its relation and its entities (those not held out on purpose) still have another one there, so a graph
/// with many such triples gets smaller valid and test splits than asked for. Throws config on shares
/// outside [0, 1) or that leave nothing to train on.
SplitTriples split_triples(std::vector<Triple> triples, EntityId entities, RelationId relations,
                           const SplitOptions& options);

/// Removes later repetitions, keeping order, and says which; `describe` puts a triple into words.
Finding drop_duplicates(std::vector<Triple>& triples, EntityId entities,
                        const std::function<std::string(const Triple&)>& describe);

}  // namespace hasa
