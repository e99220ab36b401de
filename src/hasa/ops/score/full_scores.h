#pragma once

#include <torch/types.h>

#include "hasa/ops/score/similarity.h"

namespace hasa {

/// scores[q, e] = similarity of queries[q] and entities[e], in true float32 on any device: TF32 and other
/// reduced-precision products are disabled for it, whatever the environment says.
///
/// queries [q, d], entities [n, d]: float32 on one device. -> [q, n] float32. On the CPU a score is the same to the bit
/// whichever queries are scored with it and on however many threads (ops/score/ordered_product.h, pair_scores.h).
///
/// A few hundred of the dot products are recomputed in double; throws numeric if one
/// deviates more than float32 explains (about 1e-6 of the sum of the magnitudes; TF32 deviates
/// by 1e-5 and more). Distances come from our own kernels (ops/score/pair_scores.h), which have no reduced precision.
torch::Tensor full_scores(const torch::Tensor& queries, const torch::Tensor& entities,
                          Similarity similarity = Similarity::dot);

/// The check alone.
void check_full_precision(const torch::Tensor& scores, const torch::Tensor& queries, const torch::Tensor& entities);

}  // namespace hasa
