#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/serve/question.h"
#include "hasa/serve/served_run.h"

namespace hasa {

/// What a model makes of a triple, asked from both ends.
struct JudgedTriple {
  Triple triple;
  float score = 0;                    // of the tail, as an answer to (head, relation, ?)
  std::optional<double> probability;  // likewise
  std::optional<Known> known;         // where the link is known from; none: it is new
  /// 1 + how many candidates score higher, other known answers left out: of the tail among all tails, of the head
  /// among all heads.
  std::int64_t rank_of_tail = 0, rank_of_head = 0;
};

/// In their order. Relations below relations(). Some questions are scored together, by one product where the model has
/// vectors. Entities must be there and alive.
std::vector<JudgedTriple> judged(const ServedRun& run, const LiveState& state, std::span<const Triple> triples);

}  // namespace hasa
