#include "hasa/families/path/path_loss.h"

#include <limits>

namespace hasa {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// [queries, negatives], minus infinity where an entity is none.
torch::Tensor negative_scores(const ScoredPaths& step) {
  if (step.negatives.defined()) return step.scores.gather(1, step.negatives);
  return step.scores.reshape(-1).index_fill(0, step.known, kNever).view(step.scores.sizes());
}

}  // namespace

torch::Tensor path_loss(const ScoredPaths& step, const PathTrainingConfig& config) {
  const torch::Tensor places = step.query_of_answer * step.scores.size(1) + step.answers;
  const torch::Tensor positive = step.scores.reshape(-1).index_select(0, places);
  const torch::Tensor negative = negative_scores(step);
  if (config.loss == PathLoss::cross_entropy) {
    // A finite floor in place of minus infinity keeps the gradient of a query without negatives 0 and not undefined.
    const torch::Tensor total = torch::logsumexp(negative.clamp_min(-1e30), 1);
    return torch::softplus(total.index_select(0, step.query_of_answer) - positive).mean();
  }
  const torch::Tensor present = negative > kNever;
  const torch::Tensor sharp =
      config.temperature > 0 ? negative.detach() / config.temperature : torch::zeros_like(negative.detach());
  const torch::Tensor weights = torch::softmax(sharp.masked_fill(~present, -1e30), 1);
  const torch::Tensor each = torch::softplus(negative.masked_fill(~present, -1e30));
  const torch::Tensor of_query = (weights * each).sum(1);
  return (torch::softplus(-positive) + of_query.index_select(0, step.query_of_answer)).mean() / 2;
}

}  // namespace hasa
