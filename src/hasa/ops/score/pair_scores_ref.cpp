#include "hasa/ops/score/pair_scores.h"

namespace hasa {

torch::Tensor similarity_reference(const torch::Tensor& x_in, const torch::Tensor& y_in, Similarity similarity) {
  const torch::Tensor x = x_in.to(torch::kFloat64), y = y_in.to(torch::kFloat64);
  if (similarity == Similarity::dot) return (x * y).sum(-1);
  const torch::Tensor difference = x - y;
  if (similarity == Similarity::negative_l1) return -difference.abs().sum(-1);
  if (similarity == Similarity::negative_l2) return -difference.square().sum(-1).sqrt();
  const std::int64_t half = difference.size(-1) / 2;
  return -(difference.narrow(-1, 0, half).square() + difference.narrow(-1, half, half).square()).sqrt().sum(-1);
}

}  // namespace hasa
