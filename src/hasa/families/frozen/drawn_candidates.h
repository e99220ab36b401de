#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// The candidates of a training step that are not all entities, as columns shared by its queries.
struct DrawnCandidates {
  std::vector<EntityId> entities;      // of the columns: distinct, by rising id
  std::vector<std::int64_t> positive;  // [queries] column of the answer
  std::vector<std::int64_t> near;      // [queries * samples] columns, -1 for none
  /// query * columns + column: known answers, and what is there for `near` alone.
  std::vector<std::int64_t> no_negatives;
};

/// `count` different entities drawn uniformly, or all if there are no more, and the batch's tails. The entities `near`
/// a head (the same number for each query, -1 for none) have columns too, but are no negatives unless they are among
/// these.
DrawnCandidates draw_candidates(std::span<const Triple> batch, std::span<const EntityId> near,
                                const KnownAnswers& known, EntityId entities, std::int64_t count, Rng rng);

}  // namespace hasa
