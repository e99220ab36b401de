#include <cmath>
#include <vector>

#include "hasa/ops/encoder/packed_attention.h"

namespace hasa {

torch::Tensor packed_attention_reference(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                         const PackedTexts& texts, const AttentionOptions& options) {
  const auto to_double = [](const torch::Tensor& x) { return x.to(torch::kCPU, torch::kFloat64).contiguous(); };
  const torch::Tensor q64 = to_double(q), k64 = to_double(k), v64 = to_double(v);
  const auto query = q64.accessor<double, 3>(), key = k64.accessor<double, 3>(), value = v64.accessor<double, 3>();
  const torch::Tensor offsets = texts.offsets.to(torch::kCPU, torch::kInt64).contiguous();
  const torch::Tensor bias = options.bias.defined() ? to_double(options.bias) : torch::Tensor();
  torch::Tensor out = torch::zeros(q64.sizes(), torch::kFloat64);
  auto result = out.accessor<double, 3>();

  for (std::int64_t text = 0; text + 1 < offsets.size(0); ++text) {
    const std::int64_t begin = offsets[text].item<std::int64_t>(), end = offsets[text + 1].item<std::int64_t>();
    for (std::int64_t head = 0; head < q.size(1); ++head) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::vector<double> weights;
        double total = 0, most = -INFINITY;
        for (std::int64_t j = begin; j < end; ++j) {
          double score = 0;
          for (std::int64_t c = 0; c < q.size(2); ++c) score += query[i][head][c] * key[j][head][c];
          score *= options.scale;
          if (bias.defined()) score += bias.accessor<double, 2>()[head][j - i + bias.size(1) / 2];
          weights.push_back(score);
          most = std::max(most, score);
        }
        for (double& weight : weights) total += weight = std::exp(weight - most);
        for (std::int64_t j = begin; j < end; ++j) {
          for (std::int64_t c = 0; c < q.size(2); ++c)
            result[i][head][c] += weights[j - begin] / total * value[j][head][c];
        }
      }
    }
  }
  return out.to(q.device(), q.scalar_type());
}

}  // namespace hasa
