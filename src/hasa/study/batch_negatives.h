#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/triple.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// Where a batch's negative tails come from (the paper's equations 3 and 5): simple, in proportion to how often an
/// entity is a tail in the batch; hard, by the softmax of the query's scores over the batch's entities.
enum class NegativeSampler : std::uint8_t { simple, hard };

/// What may be drawn for one query of a batch: the batch's entities, without the query's known answers, and how likely
/// each is under either sampler. Both are zero throughout where every entity is a known answer, or no tail is left.
struct QueryNegatives {
  Triple triple;  // directed; the query's own
  std::span<const EntityId> candidates;  // by rising id
  std::vector<double> simple, hard;
};

/// Goes through the triples, directed, in batches of `batch` in an order drawn by the seed; a last batch that is not
/// full is left out. `known`: the answers that are no negatives.
void for_each_query_negatives(const Scorer& scorer, std::span<const Triple> triples, const KnownAnswers& known,
                              std::int64_t batch, std::uint64_t seed,
                              const std::function<void(const QueryNegatives&)>& visit);

/// How often each of `probabilities` comes up in `draws` independent draws; empty where they are all zero.
std::vector<std::int64_t> draw_counts(std::span<const double> probabilities, std::int64_t draws, Rng& rng);

}  // namespace hasa
