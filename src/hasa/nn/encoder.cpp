#include "hasa/nn/encoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/nn/encoder_layer.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using torch::Tensor;

/// The bucket of every distance key - query from -(positions - 1) on: near ones have one each, farther ones
/// share in steps that grow with the logarithm up to 128 tokens. The same tensor operations, in float32, as
/// transformers uses, since the steps' edges fall on rounding.
Tensor relative_buckets(std::int64_t positions, std::int64_t buckets) {
  constexpr double kFarthest = 128;
  const Tensor distance = at::arange(-(positions - 1), positions, torch::kInt64);
  const std::int64_t half = buckets / 2, exact = half / 2;
  const Tensor away = distance.abs();
  const Tensor far =
      (at::log(away.to(torch::kFloat32) / exact) / std::log(kFarthest / static_cast<double>(exact)) * (half - exact))
          .to(torch::kInt64) +
      exact;
  return at::where(away < exact, away, far.clamp_max(half - 1)) + distance.gt(0).to(torch::kInt64) * half;
}

const char* dtype_name(torch::Dtype dtype) {
  return dtype == torch::kBFloat16 ? "bfloat16" : dtype == torch::kHalf ? "float16" : "float32";
}

std::filesystem::path weights_file(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "model.safetensors";
  if (!std::filesystem::exists(file)) {
    for (const char* other : {"model.safetensors.index.json", "pytorch_model.bin"}) {
      HASA_CHECK(!std::filesystem::exists(folder / other), data,
                 "{} has {} but no model.safetensors\n"
                 "       save it once with transformers' save_pretrained(..., safe_serialization=True) in one shard",
                 folder.string(), other);
    }
  }
  return file;
}

}  // namespace

Encoder Encoder::load(const std::filesystem::path& folder, const EncoderOptions& options) {
  HASA_CHECK(std::filesystem::is_directory(folder), data, "{}: no such model folder", folder.string());
  Encoder encoder;
  encoder.config_text_ = read_file(folder / "config.json");
  encoder.config_ = parse_encoder_config(encoder.config_text_, (folder / "config.json").string());
  const SafeTensors file = SafeTensors::open(weights_file(folder));
  encoder.weights_ = load_encoder_weights(file, encoder.config_, options.dtype, options.device);
  if (encoder.config_.relative_buckets > 0) {
    encoder.bucket_of_distance_ =
        relative_buckets(encoder.config_.positions, encoder.config_.relative_buckets).to(options.device);
  }
  return encoder;
}

Tensor Encoder::relative_bias(std::int64_t longest) const {
  if (!bucket_of_distance_.defined() || longest == 0) return {};
  const Tensor buckets = bucket_of_distance_.narrow(0, config_.positions - longest, 2 * longest - 1);
  return weights_.relative_bias.index_select(0, buckets).t();  // [heads, 2 longest - 1]
}

void Encoder::check(const PackedTokens& tokens, const Tensor& soft) const {
  const std::int64_t soft_tokens = tokens.soft.defined() ? tokens.soft.size(0) : 0;
  HASA_CHECK((soft.defined() ? soft.size(0) : 0) == soft_tokens, shape, "{} soft tokens, but rows for {}", soft_tokens,
             soft.defined() ? soft.size(0) : 0);
  HASA_CHECK(tokens.longest <= config_.longest_text(), data, "a text has {} tokens, the model takes {}", tokens.longest,
             config_.longest_text());
  if (!tokens.ids.is_cpu() || tokens.tokens() == 0) return;  // a GPU is not asked: encode_all looks on the host
  const auto lowest = tokens.ids.min().item<std::int64_t>(), highest = tokens.ids.max().item<std::int64_t>();
  HASA_CHECK(lowest >= -soft_tokens && highest < config_.vocabulary, data,
             "token id {} is outside the model's vocabulary of {}", lowest < -soft_tokens ? lowest : highest,
             config_.vocabulary);
}

Tensor Encoder::embed(const PackedTokens& tokens, const Tensor& soft, const SeededDropout& dropout) const {
  HASA_CHECK(!tokens.segments.defined() || weights_.segments.defined(), data, "this model has no token types");
  const auto rows = [](const Tensor& ids) { return ids.defined() ? ids.to(torch::kInt64) : ids; };
  const EmbeddingIds ids{rows(tokens.ids), positions_in_text(tokens) + config_.first_position(), rows(tokens.segments)};
  if (!fused_) return embed_unfused(ids, soft, dropout);
  return embed_layer_norm({weights_.words, weights_.positions, weights_.segments, soft}, ids, weights_.norm_weight,
                          weights_.norm_bias, config_.layer_norm_eps, dropout);
}

Tensor Encoder::embed_unfused(const EmbeddingIds& ids, const Tensor& soft, const SeededDropout& dropout) const {
  Tensor sum = word_rows(weights_.words, soft, ids.words) + at::embedding(weights_.positions, ids.positions);
  if (ids.segments.defined()) {
    sum = sum + at::embedding(weights_.segments, ids.segments);
  } else if (weights_.segments.defined()) {
    sum = sum + weights_.segments.select(0, 0);
  }
  const Tensor normed =
      at::layer_norm(sum, {config_.hidden}, weights_.norm_weight, weights_.norm_bias, config_.layer_norm_eps);
  return dropout.share > 0 ? at::dropout(normed, dropout.share, /*train=*/true) : normed;
}

Tensor Encoder::forward(const PackedTokens& tokens, bool train, const Tensor& soft) const {
  check(tokens, soft);
  const auto dropout = [&] {
    SeededDropout drawn = draw_dropout(config_.hidden_dropout, train);
    if (drawn.share > 0) drawn.first = tokens.first_token * config_.hidden;
    return drawn;
  };
  LayerCall call;
  call.texts = {tokens.offsets, tokens.longest};
  call.attention_bias = relative_bias(tokens.longest);
  Tensor hidden = embed(tokens, soft, dropout());  // [tokens, hidden]
  for (const EncoderLayer& layer : weights_.layers) {
    call.attention = draw_dropout(config_.attention_dropout, train);
    call.after_attention = dropout();
    call.after_output = dropout();
    hidden = (fused_ ? encoder_layer : encoder_layer_unfused)(layer, config_, hidden, call);
  }
  return hidden;
}

void Encoder::set_dropout(double hidden, double attention) {
  config_.hidden_dropout = hidden;
  config_.attention_dropout = attention;
}

NamedTensors Encoder::parameters() const { return own_tensors(weights_, config_); }

NamedTensors Encoder::hugging_face_tensors() const { return hasa::hugging_face_tensors(weights_, config_); }

void Encoder::set_requires_grad(bool on) {
  for (const NamedTensor& parameter : parameters()) parameter.tensor.set_requires_grad(on);
}

void Encoder::require_grad_of_last(std::int64_t layers) {
  set_requires_grad(false);
  const auto count = static_cast<std::int64_t>(weights_.layers.size());
  for (std::int64_t i = std::max<std::int64_t>(0, count - layers); i < count; ++i) {
    for (const torch::Tensor& tensor : weights_.layers[static_cast<std::size_t>(i)].tensors())
      tensor.set_requires_grad(true);
  }
  for (const torch::Tensor& tensor : {weights_.pooler_weight, weights_.pooler_bias}) {
    if (layers > 0 && tensor.defined()) tensor.set_requires_grad(true);
  }
}

Encoder Encoder::copy_as(torch::Dtype dtype) const {
  Encoder copy = *this;
  copy.weights_ = copy_weights(weights_, config_, dtype);
  return copy;
}

std::int64_t Encoder::matrix_weights() const {
  std::int64_t count = 0;
  for (const EncoderLayer& layer : weights_.layers) {
    for (const Tensor& tensor : layer.tensors()) count += tensor.dim() == 2 ? tensor.numel() : 0;
  }
  return count;
}

void Encoder::save(const std::filesystem::path& folder, const NamedTensors& more,
                   const std::map<std::string, std::string>& about) const {
  auto config = nlohmann::ordered_json::parse(config_text_);
  // transformers converts to what the config says: it must say what the file holds.
  config.erase("dtype");
  config["torch_dtype"] = dtype_name(dtype());
  write_file(folder / "config.json", config.dump(2) + "\n");
  NamedTensors tensors = hugging_face_tensors();
  tensors.insert(tensors.end(), more.begin(), more.end());
  std::map<std::string, std::string> words = about;
  words["format"] = "pt";  // without which transformers does not open it
  save_tensors(folder / "model.safetensors", tensors, words);
}

}  // namespace hasa
