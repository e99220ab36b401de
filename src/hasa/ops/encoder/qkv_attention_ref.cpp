#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "hasa/ops/encoder/qkv_attention.h"

namespace hasa {

QkvAttentionReference qkv_attention_reference(const torch::Tensor& qkv, const torch::Tensor& grad_out,
                                              const PackedTexts& texts, double scale, const SeededDropout& dropout) {
  constexpr std::int64_t kMostRows = 128;  // of a text with dropout
  const auto to_double = [](const torch::Tensor& x) { return x.detach().to(torch::kCPU, torch::kFloat64); };
  const torch::Tensor leaf = to_double(qkv).requires_grad_();
  torch::Tensor factors;
  if (dropout.share > 0) factors = seeded_dropout_factors_reference({qkv.size(2), qkv.size(0), kMostRows}, dropout);
  const torch::Tensor offsets = texts.offsets.cpu();
  std::vector<torch::Tensor> parts = {leaf.slice(0, 0, 0).select(1, 0)};
  for (std::int64_t t = 0; t + 1 < offsets.size(0); ++t) {
    const std::int64_t begin = offsets[t].item<std::int32_t>(), end = offsets[t + 1].item<std::int32_t>();
    const auto part = [&](int i) { return leaf.slice(0, begin, end).select(1, i).transpose(0, 1); };
    torch::Tensor weights = (part(0).matmul(part(1).transpose(1, 2)) * scale).softmax(-1);  // [heads, rows, rows]
    if (factors.defined()) weights = weights * factors.slice(1, begin, end).slice(2, 0, end - begin);
    parts.push_back(weights.matmul(part(2)).transpose(0, 1));
  }
  const torch::Tensor out = torch::cat(parts);
  return {out.detach(), torch::autograd::grad({out}, {leaf}, {to_double(grad_out)})[0]};
}

}  // namespace hasa
