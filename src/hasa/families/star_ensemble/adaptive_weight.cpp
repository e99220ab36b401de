#include "hasa/families/star_ensemble/adaptive_weight.h"

#include <algorithm>
#include <tuple>

namespace hasa {

torch::Tensor to_unit_range(const torch::Tensor& scores) {
  const torch::Tensor least = scores.amin(1, /*keepdim=*/true), width = scores.amax(1, /*keepdim=*/true) - least;
  return (scores - least) / width.masked_fill(width == 0, 1);
}

BestScores BestScores::of(const torch::Tensor& text, const torch::Tensor& graph, std::int64_t top) {
  const auto [best, places] = text.topk(std::min(top, text.size(1)), 1);
  return {.text = best, .graph = graph.gather(1, places), .entities = places};
}

AdaptiveWeight AdaptiveWeight::zero(std::int64_t top, const torch::Device& device) {
  const auto options = torch::TensorOptions(device);
  return {torch::zeros({4 * top}, options), torch::zeros({}, options)};
}

torch::Tensor AdaptiveWeight::alpha(const BestScores& top) const {
  const torch::Tensor features =
      torch::cat({(top.text - top.graph).abs(), top.text + top.graph, top.text, top.graph}, 1);
  return torch::sigmoid(torch::mv(features, weight) + bias);
}

torch::Tensor ensemble_loss(const AdaptiveWeight& weight, const EnsembleExamples& examples, double margin) {
  const torch::Tensor alpha = weight.alpha(examples.top);
  const torch::Tensor answer = alpha * examples.text + (1 - alpha) * examples.graph;  // [queries]
  const torch::Tensor each = alpha.unsqueeze(1);
  const torch::Tensor others = each * examples.top.text + (1 - each) * examples.top.graph;  // [queries, top]
  const torch::Tensor counted = examples.negative.to(others.scalar_type());
  const torch::Tensor hinge = torch::relu(others - answer.unsqueeze(1) + margin) * counted;
  return hinge.sum() / counted.sum().clamp_min(1);
}

}  // namespace hasa
