#include "hasa/ops/encoder/dropout_add_layer_norm.h"
#include "hasa/ops/encoder/embed_layer_norm.h"

namespace hasa {

torch::Tensor embed_layer_norm_reference(const EmbeddingTables& tables, const EmbeddingIds& ids,
                                         const torch::Tensor& weight, const torch::Tensor& bias, double eps,
                                         const SeededDropout& dropout) {
  const auto to_double = [](const torch::Tensor& t) { return t.detach().to(torch::kCPU, torch::kFloat64); };
  const auto to_cpu = [](const torch::Tensor& t) { return t.to(torch::kCPU); };
  const std::int64_t tokens = ids.words.size(0), width = tables.words.size(1);
  torch::Tensor sum = torch::zeros({tokens, width}, torch::kFloat64);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::int64_t id = to_cpu(ids.words)[t].item<std::int64_t>();
    sum[t] += id >= 0 ? to_double(tables.words)[id] : to_double(tables.soft)[-1 - id];
    sum[t] += to_double(tables.positions)[to_cpu(ids.positions)[t].item<std::int64_t>()];
    if (!tables.segments.defined()) continue;
    const std::int64_t type = ids.segments.defined() ? to_cpu(ids.segments)[t].item<std::int64_t>() : 0;
    sum[t] += to_double(tables.segments)[type];
  }
  // A norm of the sum alone is the norm of another sub-layer that adds nothing to it.
  const torch::Tensor nothing = torch::zeros_like(sum);
  const torch::Tensor normed = dropout_add_layer_norm_reference(nothing, {}, sum, weight, bias, eps);
  const SeededDropout here{dropout.share, dropout.seed, dropout.step.defined() ? dropout.step.cpu() : dropout.step};
  return normed * seeded_dropout_factors(sum.sizes(), torch::kCPU, here);
}

}  // namespace hasa
