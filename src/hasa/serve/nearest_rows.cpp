#include "hasa/serve/nearest_rows.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/ops/score/full_scores.h"
#include "hasa/ops/score/top_entities_kernels.h"

namespace hasa {
namespace {

constexpr std::int64_t kRowsOfAPart = 32'768;
/// Queries whose scores of a part are held together: 8 MiB of them.
constexpr std::int64_t kQueriesOfAPart = 64;

Nearest nearest_from(const torch::Tensor& keys, std::int64_t k) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  Nearest nearest{at::full({keys.size(0), k}, -1, torch::kInt64), at::full({keys.size(0), k}, kNone, torch::kFloat32)};
  if (keys.numel() == 0) return nearest;
  nearest.entities.slice(1, 0, keys.size(1)).copy_(kernels::ids_of(keys));
  const auto* key = keys.const_data_ptr<std::int64_t>();
  auto* score = nearest.scores.data_ptr<float>();
  for (std::int64_t row = 0; row < keys.size(0); ++row) {
    for (std::int64_t i = 0; i < keys.size(1); ++i, ++key) {
      if (*key != kernels::kNoKey) score[row * k + i] = kernels::score_of(*key);
    }
  }
  return nearest;
}

}  // namespace

Nearest nearest_rows(const torch::Tensor& queries, std::int64_t size, std::int64_t k, Similarity similarity,
                     const std::function<torch::Tensor(std::int64_t first, std::int64_t last)>& rows) {
  HASA_CHECK(queries.dim() == 2 && k >= 0, shape, "queries of an index are [queries, dim]");
  const torch::NoGradGuard no_grad;
  const torch::Tensor none = torch::empty({0}, torch::kInt64);
  torch::Tensor best = torch::empty({queries.size(0), 0}, torch::kInt64);
  for (std::int64_t first = 0; first < size && queries.size(0) > 0 && k > 0; first += kRowsOfAPart) {
    const torch::Tensor part = rows(first, std::min(size, first + kRowsOfAPart));
    std::vector<torch::Tensor> keys;
    for (const torch::Tensor& some : queries.split(kQueriesOfAPart)) {
      const torch::Tensor scores = full_scores(some, part, similarity).contiguous();
      keys.push_back(kernels::top_keys_cpu(scores, first, {none, none}, k));
    }
    const torch::Tensor both = at::cat({best, at::cat(keys)}, 1);
    best = std::get<0>(both.topk(std::min(k, both.size(1)), 1));
  }
  return nearest_from(best.contiguous(), k);
}

}  // namespace hasa
