#include "hasa/ops/score/full_scores.h"

#include <ATen/Context.h>

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/ops/score/ordered_product.h"
#include "hasa/ops/score/pair_scores.h"

namespace hasa {
namespace {

constexpr std::int64_t kSample = 256;
/// Of the sum of the magnitudes. Sums of float32 in blocks are off by a few 1e-7 of it, even in 8,192 dimensions.
constexpr double kTolerance = 4e-6;

}  // namespace

void check_full_precision(const torch::Tensor& scores, const torch::Tensor& queries, const torch::Tensor& entities) {
  if (scores.numel() == 0) return;
  // The same cells each time, spread over rows and columns.
  const torch::Tensor sample = torch::arange(kSample, torch::dtype(torch::kInt64).device(scores.device()));
  const torch::Tensor row = (sample * 7919).remainder(scores.size(0));
  const torch::Tensor column = (sample * 104729).remainder(scores.size(1));
  const torch::Tensor products =
      queries.index_select(0, row).to(torch::kFloat64) * entities.index_select(0, column).to(torch::kFloat64);
  const torch::Tensor off = (scores.index({row, column}).to(torch::kFloat64) - products.sum(1)).abs();
  const torch::Tensor allowed = products.abs().sum(1) * kTolerance;
  // Scores that are no numbers or infinite are not this check's affair.
  const torch::Tensor wrong = off.gt(allowed).logical_and(torch::isfinite(off));
  HASA_CHECK(
      !wrong.any().item<bool>(), numeric,
      "scores are not computed in full float32: one is off by {:.1e}, where {:.1e} is allowed\nis a variable such "
      "as NVIDIA_TF32_OVERRIDE or ONEDNN_DEFAULT_FPMATH_MODE set?",
      off.max().item<double>(), allowed.max().item<double>());
}

torch::Tensor full_scores(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity) {
  HASA_CHECK(queries.dim() == 2 && entities.dim() == 2 && queries.size(1) == entities.size(1), shape,
             "scores of queries and entities of different width");
  if (similarity != Similarity::dot) return pair_scores(queries, entities, similarity);
  const at::NoTF32Guard full_precision;
  torch::Tensor scores = ordered_product(queries, entities.t());
  check_full_precision(scores, queries, entities);
  return scores;
}

}  // namespace hasa
