#include "hasa/families/text/text_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/encoder/hashed_dropout.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr const char* kNewLayers = "hasa";  // their prefix in model.safetensors

Encoder prepared(Encoder encoder, const TextModelConfig& config) {
  HASA_CHECK(
      config.tuned_layers <= encoder.config().layers, config,
      "model.tuned_layers is {}, but the language model has {} layers\nset it to {} at most, or to -1 to train all",
      config.tuned_layers, encoder.config().layers, encoder.config().layers);
  encoder.set_dropout(config.dropout, config.attention_dropout);
  if (config.tuned_layers < 0) encoder.set_requires_grad(true);
  if (config.tuned_layers >= 0) encoder.require_grad_of_last(config.tuned_layers);
  return encoder;
}

/// Copies of the parameters that are trained, with the same wish for gradients.
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

TextModel::TextModel(const TextModelConfig& config, Encoder encoder, Pooling pooling, torch::Dtype working)
    : config_(config),
      pooling_(pooling),
      encoder_(prepared(std::move(encoder), config)),
      working_(working == torch::kFloat32 ? encoder_ : encoder_.copy_as(working)),
      copies_(pairs_of(encoder_, working_)) {
  check_pooling(encoder_, pooling);
  if (config.query == QueryForm::gru) {
    projection_ = Linear(encoder_.config().hidden, config.dim);
    norm_ = LayerNorm(config.dim);
    query_ = GruQuery(config.dim);
  }
  if (config.score == ScoreForm::cosine) {
    log_scale_ = torch::tensor(static_cast<float>(std::log(config.scale))).requires_grad_();
  }
  for (const NamedTensor& p : new_layers()) p.tensor.set_data(p.tensor.to(device()));
}

Tensor TextModel::read(const PackedTokens& tokens, bool training) const {
  return pool(working_, working_.forward(tokens, training), tokens, pooling_).to(torch::kFloat32);
}

Tensor TextModel::entities(const Tensor& texts, bool training) const {
  Tensor x = texts;
  if (config_.query == QueryForm::gru) x = hashed_dropout(norm_(projection_(x)), config_.dropout, training);
  return config_.score == ScoreForm::cosine ? unit_rows(x) : x;
}

Tensor TextModel::gru_queries(const Tensor& heads, const Tensor& relations, const Tensor& relation_of) const {
  const Tensor x = query_(heads, relations, relation_of);
  return config_.score == ScoreForm::cosine ? unit_rows(x) : x;
}

Tensor TextModel::joint_queries(const Tensor& texts) const {
  return config_.score == ScoreForm::cosine ? unit_rows(texts) : texts;
}

Tensor TextModel::scale() const {
  return log_scale_.defined() ? log_scale_.exp() : torch::ones({}, torch::TensorOptions(device()));
}

NamedTensors TextModel::new_layers() const {
  NamedTensors list;
  if (config_.query == QueryForm::gru) {
    append(list, "projection", projection_.parameters());
    append(list, "norm", norm_.parameters());
    append(list, "query", query_.parameters());
  }
  if (log_scale_.defined()) list.push_back({"log_scale", log_scale_});
  return list;
}

Parameters TextModel::parameters() const {
  Parameters list;
  append(list, "language_model", encoder_.parameters(), ParameterKind::language_model);
  for (const NamedTensor& each : new_layers()) {
    const bool scale = each.name == "log_scale";
    list.push_back({each.name, each.tensor, scale ? ParameterKind::scale : ParameterKind::new_layer});
  }
  return list;
}

double TextModel::flops_per_token() const {
  const auto all = static_cast<double>(encoder_.matrix_weights());
  const std::int64_t layers = encoder_.config().layers;
  const auto trained = static_cast<double>(config_.tuned_layers < 0 ? layers : std::min(config_.tuned_layers, layers));
  return all * (2 + 4 * trained / static_cast<double>(layers));
}

void TextModel::collect_gradients() const {
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

void TextModel::publish() const {
  if (copies_.empty()) return;
  const at::NoGradGuard no_gradients;
  std::vector<Tensor> from, to;
  for (const auto& [parameter, copy] : copies_) {
    from.push_back(parameter);
    to.push_back(copy);
  }
  at::_foreach_copy_(to, from);
}

TextModel open_text_model(const TextModelConfig& config, const LanguageModelConfig& language_model,
                          const std::filesystem::path& folder, const torch::Device& device) {
  const bool full = device.is_cpu() || language_model.precision == Precision::fp32;
  Encoder encoder = Encoder::load(folder, {torch::kFloat32, device});
  encoder.set_fused(language_model.fused);
  return {config, std::move(encoder), language_model.pool, full ? torch::kFloat32 : torch::kBFloat16};
}

TextInputs text_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                       const LanguageModel& language_model) {
  TextInputs inputs(language_model.tokenizer, GraphTokens::cached(graph, language_model.tokenizer, graph_folder),
                    config, graph);
  const auto longest = static_cast<std::int64_t>(inputs.longest_text());
  const std::int64_t most = language_model.config.longest_text();
  HASA_CHECK(
      longest <= most, config,
      "text.max_tokens is {}, which with a relation makes texts of up to {} tokens, but {} reads at most {}\nset "
      "text.max_tokens to {} at most",
      config.max_tokens, longest, language_model.folder.filename().string(), most,
      config.max_tokens - (longest - most));
  return inputs;
}

void TextModel::save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const {
  NamedTensors more;
  append(more, kNewLayers, new_layers());
  encoder_.save(folder, more, about);
}

void TextModel::load_new_layers(const std::filesystem::path& folder) const {
  const std::string prefix = std::string(kNewLayers) + ".";
  copy_into(new_layers(), load_weights(folder / "model.safetensors", prefix), prefix);
}

}  // namespace hasa
