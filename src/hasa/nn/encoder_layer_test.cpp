#include "hasa/nn/encoder_layer.h"

#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

EncoderConfig config_of(std::int64_t heads, std::int64_t size) {
  EncoderConfig config;
  config.hidden = heads * size;
  config.heads = heads;
  config.intermediate = 4 * config.hidden;
  config.activation = Activation::gelu;
  config.layer_norm_eps = 1e-12;
  return config;
}

EncoderLayer random_layer(const EncoderConfig& config, const torch::TensorOptions& options) {
  const auto make = [&](at::IntArrayRef shape, double size, double middle = 0) {
    return (torch::randn(shape) * size + middle).to(options).requires_grad_();
  };
  const std::int64_t h = config.hidden, w = config.intermediate;
  const double by = 1 / std::sqrt(static_cast<double>(h));
  EncoderLayer layer;
  layer.qkv_weight = make({3 * h, h}, by);
  layer.qkv_bias = make({3 * h}, 0.1);
  layer.out_weight = make({h, h}, by);
  layer.out_bias = make({h}, 0.1);
  layer.attention_norm_weight = make({h}, 0.1, 1);
  layer.attention_norm_bias = make({h}, 0.1);
  layer.up_weight = make({w, h}, by);
  layer.up_bias = make({w}, 0.1);
  layer.down_weight = make({h, w}, by / 2);
  layer.down_bias = make({h}, 0.1);
  layer.output_norm_weight = make({h}, 0.1, 1);
  layer.output_norm_bias = make({h}, 0.1);
  return layer;
}

LayerCall call_of(const std::vector<std::int32_t>& lengths, double dropout, const torch::Device& device) {
  std::vector<std::int32_t> offsets = {0};
  LayerCall call;
  for (const std::int32_t length : lengths) {
    offsets.push_back(offsets.back() + length);
    call.texts.longest = std::max<std::int64_t>(call.texts.longest, length);
  }
  call.texts.offsets = torch::tensor(offsets, torch::kInt32).to(device);
  call.after_attention = {dropout, 11};
  call.after_output = {dropout, 12};
  return call;
}

/// Output, gradient of the hidden states, and of each of the layer's tensors.
std::vector<Tensor> both_passes(const auto& apply, const EncoderLayer& layer, const EncoderConfig& config,
                                const Tensor& hidden, const LayerCall& call, const Tensor& weights) {
  const Tensor leaf = hidden.detach().clone().requires_grad_();
  const Tensor out = apply(layer, config, leaf, call);
  (out.to(torch::kFloat32) * weights).sum().backward();
  std::vector<Tensor> result = {out.detach(), leaf.grad()};
  for (const Tensor& tensor : layer.tensors()) {
    result.push_back(tensor.grad());
    tensor.mutable_grad() = Tensor();
  }
  return result;
}

using Layer = Tensor (*)(const EncoderLayer&, const EncoderConfig&, const Tensor&, const LayerCall&);

/// The greatest distance of any result from that of the parts, over the size of the latter.
double distance(torch::Dtype dtype, const torch::Device& device, double dropout, const EncoderConfig& config,
                const std::vector<std::int32_t>& lengths, Layer expected_layer = encoder_layer_from_parts,
                double attention = 0) {
  torch::manual_seed(5);
  const auto options = torch::TensorOptions(dtype).device(device);
  const EncoderLayer layer = random_layer(config, options);
  LayerCall call = call_of(lengths, dropout, device);
  call.attention = {attention, 13};
  const std::int64_t tokens = call.texts.offsets[-1].item<std::int64_t>();
  const Tensor hidden = torch::randn({tokens, config.hidden}).to(options);
  const Tensor weights = torch::randn({tokens, config.hidden}).to(device);
  const auto expected = both_passes(expected_layer, layer, config, hidden, call, weights);
  const auto actual = both_passes(encoder_layer, layer, config, hidden, call, weights);
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(actual[i].defined()) << i;
    if (!actual[i].defined()) continue;
    const Tensor a = actual[i].to(torch::kFloat64), b = expected[i].to(torch::kFloat64);
    most = std::max(most, ((a - b).norm() / b.norm().clamp_min(1e-12)).item<double>());
  }
  return most;
}

TEST(EncoderLayer, GivesTheGradientsOfItsParts) {
  for (const double dropout : {0.0, 0.2}) {
    EXPECT_LT(distance(torch::kFloat32, torch::kCPU, dropout, config_of(2, 8), {1, 7, 3, 12}), 1e-5);
  }
}

TEST(EncoderLayer, LeavesOutTheGradientOfHiddenStatesNobodyAskedFor) {
  torch::manual_seed(6);
  const EncoderConfig config = config_of(2, 8);
  const EncoderLayer layer = random_layer(config, torch::kFloat32);
  const LayerCall call = call_of({4, 5}, 0.1, torch::kCPU);
  const Tensor hidden = torch::randn({9, 16});
  encoder_layer(layer, config, hidden, call).sum().backward();
  EXPECT_FALSE(hidden.grad().defined());
  EXPECT_TRUE(layer.qkv_weight.grad().defined());
}

TEST(EncoderLayer, KeepsNothingWithoutGradients) {
  torch::manual_seed(7);
  const torch::NoGradGuard no_grad;
  const EncoderConfig config = config_of(2, 8);
  const EncoderLayer layer = random_layer(config, torch::kFloat32);
  const LayerCall call = call_of({4, 5}, 0, torch::kCPU);
  const Tensor hidden = torch::randn({9, 16});
  const Tensor out = encoder_layer(layer, config, hidden, call);
  EXPECT_FALSE(out.requires_grad());
  EXPECT_TRUE(torch::allclose(out, encoder_layer_from_parts(layer, config, hidden, call), 1e-5, 1e-5));
}

TEST(EncoderLayer, FromLibTorchsOperationsIsTheSame) {
  const EncoderConfig config = config_of(2, 8);
  EXPECT_LT(distance(torch::kFloat32, torch::kCPU, 0, config, {1, 7, 3, 12}, encoder_layer_unfused), 1e-5);
}

TEST(EncoderLayerGpu, GivesTheGradientsOfItsPartsWithinRounding) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const std::vector<std::int32_t> lengths = {1, 16, 40, 66, 90, 17, 54, 33};
  for (const double dropout : {0.0, 0.1}) {
    EXPECT_LT(distance(torch::kFloat32, torch::kCUDA, dropout, config_of(12, 64), lengths), 1e-4);
    // Sums of bfloat16 gradients are rounded at other places: 2^-8 and a little more.
    EXPECT_LT(distance(torch::kBFloat16, torch::kCUDA, dropout, config_of(12, 64), lengths), 1e-2);
  }
  EXPECT_LT(distance(torch::kBFloat16, torch::kCUDA, 0, config_of(12, 64), lengths, encoder_layer_unfused), 1e-2);
}

/// By LibTorch's operations, attention and its dropout too.
Tensor layer_with_attention_dropout(const EncoderLayer& layer, const EncoderConfig& config, const Tensor& hidden,
                                    const LayerCall& call) {
  const auto dropped = [](const Tensor& x, const SeededDropout& dropout) {
    return x * seeded_dropout_factors(x.sizes(), x.device(), dropout).to(x.scalar_type());
  };
  const Tensor factors = seeded_dropout_factors({config.heads, hidden.size(0), 128}, hidden.device(), call.attention);
  const Tensor qkv =
      at::linear(hidden, layer.qkv_weight, layer.qkv_bias).view({-1, 3, config.heads, config.head_size()});
  const Tensor offsets = call.texts.offsets.cpu();
  std::vector<Tensor> mixed;
  for (std::int64_t t = 0; t + 1 < offsets.size(0); ++t) {
    const std::int64_t begin = offsets[t].item<int>(), end = offsets[t + 1].item<int>();
    const auto part = [&](int i) { return qkv.slice(0, begin, end).select(1, i).transpose(0, 1).to(torch::kFloat32); };
    const Tensor weights =
        (part(0).matmul(part(1).transpose(1, 2)) / std::sqrt(static_cast<double>(config.head_size()))).softmax(-1) *
        factors.slice(1, begin, end).slice(2, 0, end - begin);
    mixed.push_back(weights.matmul(part(2)).transpose(0, 1).flatten(1).to(hidden.scalar_type()));
  }
  const Tensor attended = at::linear(torch::cat(mixed), layer.out_weight, layer.out_bias);
  const Tensor middle = at::layer_norm(hidden + dropped(attended, call.after_attention), {config.hidden},
                                       layer.attention_norm_weight, layer.attention_norm_bias, config.layer_norm_eps);
  const Tensor narrow =
      at::linear(at::gelu(at::linear(middle, layer.up_weight, layer.up_bias)), layer.down_weight, layer.down_bias);
  return at::layer_norm(middle + dropped(narrow, call.after_output), {config.hidden}, layer.output_norm_weight,
                        layer.output_norm_bias, config.layer_norm_eps);
}

TEST(EncoderLayerGpu, DropsAttentionAsItsSeedSays) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const std::vector<std::int32_t> lengths = {1, 16, 40, 66, 90};
  EXPECT_LT(
      distance(torch::kBFloat16, torch::kCUDA, 0.1, config_of(12, 64), lengths, layer_with_attention_dropout, 0.2),
      2e-2);
}

}  // namespace
}  // namespace hasa
