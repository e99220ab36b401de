#pragma once

#include <torch/types.h>

#include <cstdint>

namespace hasa {

/// Each query's scores brought to [0, 1] by their least and greatest; 0 where all are equal. [queries, entities]
torch::Tensor to_unit_range(const torch::Tensor& scores);

/// What two runs say of the candidates that the first of them puts before all others, in its order.
struct BestScores {
  torch::Tensor text, graph;  // [queries, top], in [0, 1]
  torch::Tensor entities;     // [queries, top] int64

  static BestScores of(const torch::Tensor& text, const torch::Tensor& graph, std::int64_t top);
};

/// How far the text run is believed about a query, told from its best candidates:
///
///   alpha = sigmoid(w . [|text - graph|; text + graph; text; graph] + b)        score = alpha text + (1 - alpha) graph
struct AdaptiveWeight {
  torch::Tensor weight;  // [4 top]
  torch::Tensor bias;    // []

  static AdaptiveWeight zero(std::int64_t top, const torch::Device& device);
  /// [queries]
  torch::Tensor alpha(const BestScores& top) const;
};

/// What a fit looks at: the queries' best candidates, which of them are false, and what the runs say of the answers.
struct EnsembleExamples {
  BestScores top;
  torch::Tensor negative;     // [queries, top] bool: the candidate is no known answer
  torch::Tensor text, graph;  // [queries] scores of the answer
};

/// Mean over the false candidates of max(0, margin - score of the answer + score of the candidate).
torch::Tensor ensemble_loss(const AdaptiveWeight& weight, const EnsembleExamples& examples, double margin);

}  // namespace hasa
