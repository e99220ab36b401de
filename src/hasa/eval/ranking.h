#pragma once

#include <cstdint>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/triple.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// A query of a split and where its answer came out.
struct RankedQuery {
  Triple triple;        // directed: relation >= R asks for the head of a triple
  std::int64_t better;  // entities that score higher than the answer, known answers left out
  std::int64_t equal;   // entities that score the same, the answer itself not counted

  double optimistic() const { return static_cast<double>(better + 1); }
  double pessimistic() const { return static_cast<double>(better + equal + 1); }
  double realistic() const { return static_cast<double>(better + 1) + static_cast<double>(equal) / 2; }
};

struct RankingOptions {
  std::int64_t budget_bytes = std::int64_t{512} << 20;  // of scores held at a time
  bool show_progress = false;
};

/// Ranks every triple of a split in both directions among all entities, the known answers of all three splits
/// left out except the one being ranked. First all tail queries in the order of the split, then all head
/// queries. Unseen entities stay in.
std::vector<RankedQuery> rank_split(const Scorer& scorer, const Graph& graph, const KnownAnswers& known, Split split,
                                    const RankingOptions& options = {});

}  // namespace hasa
