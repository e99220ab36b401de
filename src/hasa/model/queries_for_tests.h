#pragma once

#include <torch/types.h>

#include <vector>

#include "hasa/model/scorer.h"

namespace hasa::testing {

/// From two columns of int64.
inline std::vector<Query> queries_of(const torch::Tensor& given, const torch::Tensor& relations) {
  std::vector<Query> queries;
  for (std::int64_t i = 0; i < given.size(0); ++i) {
    queries.push_back({static_cast<EntityId>(given[i].item<std::int64_t>()),
                       static_cast<RelationId>(relations[i].item<std::int64_t>())});
  }
  return queries;
}

/// Of a scorer known to be a VectorScorer.
inline const VectorScorer& vectors_of(const Scorer& scorer) { return dynamic_cast<const VectorScorer&>(scorer); }

}  // namespace hasa::testing
