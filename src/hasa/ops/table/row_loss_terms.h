#pragma once

#include <cmath>

#include "hasa/ops/core/host_device.h"
#include "hasa/ops/table/row_loss_kind.h"

// The losses of ops/table/row_loss.h candidate by candidate, for kernels. What a row shares is found first: the
// greatest score of those under a softmax, and the sum of their exponentials relative to it.

namespace hasa::kernels {

struct RowShared {
  float answer, greatest, sum;
  float others;  // their number
};

HASA_HOST_DEVICE inline float softplus(float x) { return (x > 0 ? x : 0.0F) + log1pf(expf(-fabsf(x))); }
HASA_HOST_DEVICE inline float sigmoid_of(float x) { return 1.0F / (1.0F + expf(-x)); }

/// What a softmax is taken of: candidates times the temperature, or all scores as they are.
HASA_HOST_DEVICE inline float softmax_scale(RowLossKind kind, float temperature) {
  return kind == RowLossKind::self_adversarial ? temperature : 1.0F;
}
HASA_HOST_DEVICE inline bool has_softmax(RowLossKind kind) {
  return kind == RowLossKind::self_adversarial || kind == RowLossKind::cross_entropy;
}
HASA_HOST_DEVICE inline bool answer_in_softmax(RowLossKind kind) { return kind == RowLossKind::cross_entropy; }

struct LossPart {
  float loss, slope;  // a candidate's share of the loss, and the loss' derivative in its score
};

HASA_HOST_DEVICE inline LossPart other_part(RowLossKind kind, float offset, float temperature, float score,
                                            const RowShared& row) {
  switch (kind) {
    case RowLossKind::self_adversarial: {
      const float weight = 0.5F * expf(score * temperature - row.greatest) / row.sum;
      return {weight * softplus(offset + score), weight * sigmoid_of(offset + score)};
    }
    case RowLossKind::cross_entropy: return {0.0F, expf(score - row.greatest) / row.sum};
    case RowLossKind::bce: return {softplus(offset + score), sigmoid_of(offset + score)};
    case RowLossKind::margin: {
      const float gap = offset - row.answer + score;
      return gap > 0 ? LossPart{gap / row.others, 1.0F / row.others} : LossPart{0.0F, 0.0F};
    }
  }
  return {};
}

/// slopes: the sum of the others' slopes.
HASA_HOST_DEVICE inline LossPart answer_part(RowLossKind kind, float offset, const RowShared& row, float slopes) {
  const float p = row.answer;
  switch (kind) {
    case RowLossKind::self_adversarial: return {0.5F * softplus(-offset - p), -0.5F * sigmoid_of(-offset - p)};
    // One minus the answer's probability is what the others have.
    case RowLossKind::cross_entropy: return {row.greatest + logf(row.sum) - p, -slopes};
    case RowLossKind::bce: return {softplus(-offset - p), -sigmoid_of(-offset - p)};
    case RowLossKind::margin: return {0.0F, -slopes};
  }
  return {};
}

}  // namespace hasa::kernels
