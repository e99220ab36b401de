#include "hasa/families/text/text_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <utility>

#include "hasa/nn/tensor_file.h"
#include "hasa/ops/encoder/hashed_dropout.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr const char* kNewLayers = "hasa";   // their prefix in model.safetensors
constexpr const char* kSoftTokens = "soft";  // the prefix of what makes soft tokens, among new layers

}  // namespace

TextModel::TextModel(const TextModelConfig& config, TunedEncoder encoder)
    : config_(config), encoder_(std::move(encoder)) {
  if (config.query == QueryForm::gru) {
    projection_ = Linear(encoder_.weights().config().hidden, config.dim);
    norm_ = LayerNorm(config.dim);
    query_ = GruQuery(config.dim);
  }
  if (config.score == ScoreForm::cosine) {
    log_scale_ = torch::tensor(static_cast<float>(std::log(config.scale))).requires_grad_();
  }
  for (const NamedTensor& p : new_layers()) p.tensor.set_data(p.tensor.to(device()));
}

Tensor TextModel::read(const PackedTokens& tokens, bool training) const {
  if (tokens.soft.defined()) return encoder_.read(tokens, training, soft_.rows(tokens.soft));
  const Tensor texts = encoder_.read(tokens, training);
  if (!soft_.bank().defined() || !at::GradMode::is_enabled()) return texts;
  // Texts without soft tokens have a gradient for what makes them too, of 0: so do all processes and micro-batches.
  return texts + soft_.rows(torch::empty({0}, tokens.offsets.options().dtype(torch::kInt64))).sum();
}

double TextModel::flops_per_token() const {
  const double forward = 2 * static_cast<double>(encoder_.weights().matrix_weights());
  const double backward = encoder_.flops_per_token() - forward;  // for weights and what they read, in equal parts
  // The gradient of soft tokens passes through all layers, also those whose weights are not trained.
  return forward + (soft_.bank().defined() ? backward / 2 + forward : backward);
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

void TextModel::add_pair_weights(std::int64_t count) {
  pair_weights_ = torch::zeros({count}, torch::TensorOptions(torch::kFloat32).device(device())).requires_grad_();
}

void TextModel::add_soft_tokens(std::int64_t entities, std::int64_t directed_relations) {
  const std::int64_t hidden = encoder_.weights().config().hidden;
  const SoftTokenSizes sizes{.entities = entities,
                             .directed_relations = directed_relations,
                             .dim = config_.query == QueryForm::gru ? config_.dim : hidden,
                             .hidden = hidden};
  soft_ = SoftTokens(sizes, encoder_.weights().weights().words);
}

SoftRows TextModel::soft_rows() const {
  if (!soft_.bank().defined()) return nullptr;
  return [soft = soft_, dtype = working().dtype()](const Tensor& keys) {
    const at::NoGradGuard no_gradients;
    return soft.rows(keys).to(dtype);
  };
}

NamedTensors TextModel::new_layers() const {
  NamedTensors list;
  if (config_.query == QueryForm::gru) {
    append(list, "projection", projection_.parameters());
    append(list, "norm", norm_.parameters());
    append(list, "query", query_.parameters());
  }
  if (log_scale_.defined()) list.push_back({"log_scale", log_scale_});
  if (pair_weights_.defined()) list.push_back({"pair_terms", pair_weights_});
  append(list, kSoftTokens, soft_.parameters());
  return list;
}

Parameters TextModel::parameters() const {
  Parameters list;
  append(list, "language_model", encoder_.parameters(), ParameterKind::language_model);
  for (const NamedTensor& each : new_layers()) {
    const bool scale = each.name == "log_scale";
    list.push_back({each.name, each.tensor, scale ? ParameterKind::scale : ParameterKind::new_layer, each.rows});
  }
  return list;
}

bool TextModel::is_of_soft_tokens(const Parameter& parameter) {
  return parameter.name.starts_with(std::string(kSoftTokens) + ".");
}

TextModel open_text_model(const TextModelConfig& config, const LanguageModelConfig& language_model,
                          const std::filesystem::path& folder, const torch::Device& device) {
  return {config, open_tuned_encoder(config, language_model, folder, device)};
}

void TextModel::save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const {
  NamedTensors more;
  append(more, kNewLayers, new_layers());
  encoder_.weights().save(folder, more, about);
}

void TextModel::load_new_layers(const std::filesystem::path& folder) const {
  const std::string prefix = std::string(kNewLayers) + ".";
  copy_into(new_layers(), load_weights(folder / "model.safetensors", prefix), prefix);
}

}  // namespace hasa
