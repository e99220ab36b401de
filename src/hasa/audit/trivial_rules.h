#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/audit/train_pairs.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// What rules that know nothing of entities and texts, or nothing else, reach on a split: filtered ranks among all
/// entities, ties at their mean rank, each triple asked from both ends. What a model has to beat.
struct TrivialScore {
  std::string name;  ///< "popularity"
  std::string rule;  ///< in words
  double mrr = 0, hits_at_1 = 0, hits_at_10 = 0;
  std::uint64_t queries = 0;
};

struct TrivialOptions {
  std::size_t most_triples = 5'000;       ///< of the split, drawn by a fixed seed
  std::size_t most_text_triples = 1'000;  ///< the same for nearest text, which looks at every entity's words
};

/// Of the test split, or where it is empty of valid:
///
///   popularity   the answers that the relation has most often in training
///   links        entities linked to the one that is given, by how often such a link comes with the relation asked for:
///                symmetry, inverses and equivalents
///   nearest text entities whose words are most like those of the one that is given (cosine of TF-IDF); left out where
///                there are no texts
std::vector<TrivialScore> score_trivial_rules(const Graph& graph, const TrainPairs& train,
                                              const TrivialOptions& options = {});

}  // namespace hasa
