#pragma once

#include <cstdint>
#include <vector>

#include "hasa/families/fusion/fit_table.h"

namespace hasa {

/// Weights of features: global ones, and an offset for each relation and direction.
struct FusionWeights {
  std::size_t features = 0;
  std::vector<double> global;   // [features]
  std::vector<double> offsets;  // [relations, features]

  double of(RelationId relation, std::size_t feature) const {
    return global[feature] + offsets[static_cast<std::size_t>(relation) * features + feature];
  }
};

struct WeightFit {
  double shrinkage = 10;            // how strongly a relation's weights are shrunk towards the global ones
  bool by_relation = true;          // false: one weight for all
  std::int32_t without_fold = -1;   // queries of this fold are left out
  std::int32_t without_first = -1;  // features held at 0: from this one ...
  std::int32_t without_last = -1;   // ... to before this one
};

/// The weights that minimise, over the queries that are not left out,
///
///   sum of -log softmax(w_r . features of the answer)  +  shrinkage / 2 sum over r of |S (w_r - w)|^2
///
/// where S has the root mean square of each feature, so that the penalty is in
/// units of scores, and w has its own penalty of 1e-3, which makes the minimum unique. Newton's method, in double: the
/// function is convex. Deterministic for any number of threads. `relations` counts directed ones.
FusionWeights fit_weights(const FitTable& table, RelationId relations, const WeightFit& fit);

/// The function that is minimised, with its gradient in `global` and `offsets`: [features * (1 + relations)].
struct FitValue {
  double value = 0;
  std::vector<double> gradient;
};
FitValue fit_value(const FitTable& table, const FusionWeights& weights, const WeightFit& fit);

}  // namespace hasa
