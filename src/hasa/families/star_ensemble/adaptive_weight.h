#pragma once

#include <torch/types.h>

#include <cstdint>

namespace hasa {

/// Each query's scores scaled to [0, 1] by their minimum and maximum; 0 if all are equal. [queries, entities]
torch::Tensor to_unit_range(const torch::Tensor& scores);

/// Two runs' scores of the first one's top candidates, in its order.
struct BestScores {
  torch::Tensor text, graph;  // [queries, top], in [0, 1]
  torch::Tensor entities;     // [queries, top] int64

  static BestScores of(const torch::Tensor& text, const torch::Tensor& graph, std::int64_t top);
};

/// The weight of the text run for a query, predicted from its best candidates:
///
///   alpha = sigmoid(w . [|text - graph|; text + graph; text; graph] + b)        score = alpha text + (1 - alpha) graph
struct AdaptiveWeight {
  torch::Tensor weight;  // [4 top]
  torch::Tensor bias;    // []

  static AdaptiveWeight zero(std::int64_t top, const torch::Device& device);
  /// [queries]
  torch::Tensor alpha(const BestScores& top) const;
};

/// The data of a fit: the queries' best candidates, which of them are false, and both runs' scores of the answers.
struct EnsembleExamples {
  BestScores top;
  torch::Tensor negative;     // [queries, top] bool: the candidate is not a known answer
  torch::Tensor text, graph;  // [queries] scores of the answer
};

/// Mean over the false candidates of max(0, margin - score of the answer + score of the candidate).
torch::Tensor ensemble_loss(const AdaptiveWeight& weight, const EnsembleExamples& examples, double margin);

}  // namespace hasa
