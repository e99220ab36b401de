#include "hasa/ops/score/top_scores.h"

#include <algorithm>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/top_entities_cuda.h"
#include "hasa/ops/score/top_entities_kernels.h"

namespace hasa {
namespace {

torch::Tensor top_keys(const torch::Tensor& scores, std::int64_t k) {
  const torch::Tensor none = torch::empty({0}, scores.options().dtype(torch::kInt64));
  if (scores.is_cpu()) return kernels::top_keys_cpu(scores, 0, {none, none}, k);
  if (k > kernels::kMostOnCuda) return kernels::top_keys_composed(scores, 0, {none, none}, k);
  const std::int64_t rows = scores.size(0), n = scores.size(1);
  torch::Tensor keys = torch::empty({rows, std::min(k, n)}, none.options());
  dispatch(
      scores.device(), [] {},
      [&](void* stream) {
        kernels::top_keys_cuda(scores.const_data_ptr<float>(), rows, n, 0, keys.size(1),
                               keys.mutable_data_ptr<std::int64_t>(), stream);
      });
  return keys;
}

/// kernels::score_of, of each.
torch::Tensor scores_of_keys(const torch::Tensor& keys) {
  const torch::Tensor ordered = keys.bitwise_right_shift(32).to(torch::kInt32);
  const torch::Tensor bits = torch::where(ordered.lt(0), ordered.bitwise_xor(kernels::kGreatestId), ordered);
  return bits.view(torch::kFloat32).masked_fill(keys.eq(kernels::kNoKey), std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

TopScores top_scores(const torch::Tensor& scores, std::int64_t k) {
  HASA_CHECK(scores.dim() == 2 && scores.scalar_type() == torch::kFloat32 && scores.is_contiguous(), shape,
             "top_scores: expected scores as a contiguous matrix of float32");
  HASA_CHECK(k >= 0, shape, "top_scores: the best {} of something were asked for", k);
  HASA_CHECK(scores.size(1) <= kernels::kGreatestId, shape, "top_scores: {} columns; at most 2^31 - 1 have keys",
             scores.size(1));
  const std::int64_t rows = scores.size(0), found = std::min(k, scores.size(1));
  torch::Tensor keys = torch::full({rows, k}, kernels::kNoKey, scores.options().dtype(torch::kInt64));
  if (rows * found > 0) keys.slice(1, 0, found).copy_(top_keys(scores.detach(), k));
  return {kernels::ids_of(keys), scores_of_keys(keys)};
}

}  // namespace hasa
