#include "hasa/model/tuned_encoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>

#include <algorithm>

#include "hasa/base/error.h"

namespace hasa {
namespace {

using torch::Tensor;

Encoder prepared(Encoder encoder, const TuningConfig& config) {
  HASA_CHECK(
      config.tuned_layers <= encoder.config().layers, config,
      "model.tuned_layers is {}, but the language model has {} layers\nset it to at most {}, or to -1 to fine-tune all",
      config.tuned_layers, encoder.config().layers, encoder.config().layers);
  encoder.set_dropout(config.dropout, config.attention_dropout);
  if (config.tuned_layers < 0) encoder.set_requires_grad(true);
  if (config.tuned_layers >= 0) encoder.require_grad_of_last(config.tuned_layers);
  return encoder;
}

/// Copies of the trained parameters, with the same requires_grad.
std::vector<std::pair<Tensor, Tensor>> pairs_of(const Encoder& encoder, const Encoder& working) {
  std::vector<std::pair<Tensor, Tensor>> pairs;
  const NamedTensors from = encoder.parameters(), to = working.parameters();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].tensor.is_same(to[i].tensor)) continue;
    to[i].tensor.set_requires_grad(from[i].tensor.requires_grad());
    if (from[i].tensor.requires_grad()) pairs.emplace_back(from[i].tensor, to[i].tensor);
  }
  return pairs;
}

}  // namespace

TunedEncoder::TunedEncoder(const TuningConfig& config, Encoder encoder, Pooling pooling, torch::Dtype working)
    : config_(config),
      pooling_(pooling),
      encoder_(prepared(std::move(encoder), config)),
      working_(working == torch::kFloat32 ? encoder_ : encoder_.copy_as(working)),
      copies_(pairs_of(encoder_, working_)) {
  check_pooling(encoder_, pooling);
}

Tensor TunedEncoder::read(const PackedTokens& tokens, bool training, const Tensor& soft) const {
  const Tensor rows = soft.defined() ? soft.to(working_.dtype()) : soft;
  return pool(working_, working_.forward(tokens, training, rows), tokens, pooling_).to(torch::kFloat32);
}

double TunedEncoder::flops_per_token() const {
  const auto all = static_cast<double>(encoder_.matrix_weights());
  const std::int64_t layers = encoder_.config().layers;
  const auto trained = static_cast<double>(config_.tuned_layers < 0 ? layers : std::min(config_.tuned_layers, layers));
  return all * (2 + 4 * trained / static_cast<double>(layers));
}

void TunedEncoder::collect_gradients() const {
  if (copies_.empty()) return;
  const at::NoGradGuard no_gradients;
  std::vector<Tensor> sums, parts;
  for (const auto& [parameter, copy] : copies_) {
    if (!copy.grad().defined()) continue;
    if (!parameter.grad().defined()) {
      parameter.mutable_grad() = copy.grad().to(torch::kFloat32);
    } else {
      sums.push_back(parameter.grad());
      parts.push_back(copy.grad().to(torch::kFloat32));
    }
    copy.mutable_grad() = Tensor();
  }
  if (!sums.empty()) at::_foreach_add_(sums, parts);
}

void TunedEncoder::publish() const {
  if (copies_.empty()) return;
  const at::NoGradGuard no_gradients;
  std::vector<Tensor> from, to;
  for (const auto& [parameter, copy] : copies_) {
    from.push_back(parameter);
    to.push_back(copy);
  }
  at::_foreach_copy_(to, from);
}

TunedEncoder TunedEncoder::twin() const {
  return {config_, encoder_.copy_as(torch::kFloat32), pooling_, working_.dtype()};
}

TunedEncoder open_tuned_encoder(const TuningConfig& config, const LanguageModelConfig& language_model,
                                const std::filesystem::path& folder, const torch::Device& device) {
  const bool full = device.is_cpu() || language_model.precision == Precision::fp32;
  Encoder encoder = Encoder::load(folder, {torch::kFloat32, device});
  encoder.set_fused(language_model.fused);
  return {config, std::move(encoder), language_model.pool, full ? torch::kFloat32 : torch::kBFloat16};
}

}  // namespace hasa
