#pragma once

#include <cstdint>

namespace hasa {

enum class RowLossKind : std::uint8_t { self_adversarial, cross_entropy, bce, margin };

/// The loss of a query's answer, which scores p, and of n other candidates, which score s_j:
///
///   self_adversarial  -log sigmoid(offset + p) / 2 - sum_j w_j log sigmoid(-offset - s_j) / 2, where
///                     w = softmax(temperature * s) is taken as given: no gradient goes through it
///   cross_entropy     log(exp(p) + sum_j exp(s_j)) - p
///   bce               -log sigmoid(offset + p) - sum_j log sigmoid(-offset - s_j)
///   margin            mean over j of max(0, offset - p + s_j)
struct RowLoss {
  RowLossKind kind = RowLossKind::cross_entropy;
  double offset = 0;
  double temperature = 1;
};

}  // namespace hasa
