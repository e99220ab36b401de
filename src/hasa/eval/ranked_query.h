#pragma once

#include <cstdint>

#include "hasa/kg/triple.h"

namespace hasa {

/// The rank of an answer that ties with others: the best of their ranks, the worst, or the mean of both.
enum class TieRule : std::uint8_t { optimistic, realistic, pessimistic };
/// The rivals of an answer: entities that are not known answers themselves (filtered), or all of them (raw).
enum class Rivals : std::uint8_t { filtered, raw };

/// A query of a split and the rank of its answer, under every rule.
struct RankedQuery {
  Triple triple;                  // directed: relation >= R is head prediction
  std::int64_t better = 0;        // entities that score higher than the answer, known answers excluded
  std::int64_t equal = 0;         // entities with the same score, the answer itself excluded
  std::int64_t known_better = 0;  // the same among the other known answers
  std::int64_t known_equal = 0;

  double optimistic() const { return static_cast<double>(better + 1); }
  double pessimistic() const { return static_cast<double>(better + equal + 1); }
  double realistic() const { return static_cast<double>(better + 1) + static_cast<double>(equal) / 2; }

  double rank(TieRule ties, Rivals rivals = Rivals::filtered) const {
    const bool raw = rivals == Rivals::raw;
    const auto before = static_cast<double>(better + (raw ? known_better : 0));
    const auto beside = static_cast<double>(equal + (raw ? known_equal : 0));
    return 1 + before + (ties == TieRule::optimistic ? 0 : ties == TieRule::realistic ? beside / 2 : beside);
  }
};

}  // namespace hasa
