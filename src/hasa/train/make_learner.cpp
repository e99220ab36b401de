#include "hasa/train/make_learner.h"

#include <ATen/Context.h>

#include <algorithm>
#include <variant>

#include "hasa/base/memory.h"
#include "hasa/ops/device.h"
#include "hasa/train/frozen_learner.h"
#include "hasa/train/kbgan_learner.h"
#include "hasa/train/memory_plan.h"
#include "hasa/train/table_learner.h"
#include "hasa/train/text_learner.h"

namespace hasa {
namespace {

std::unique_ptr<Learner> make(const TrainConfig& config, const HasaConfig& model, const Graph& graph,
                              const torch::Device& device) {
  const TextEmbeddings texts = embed_texts(graph, config.graph, config.text, config.language_model, device);
  at::manual_seed(config.seed);
  return std::make_unique<FrozenLearner>(config, model, graph, texts, device);
}

std::unique_ptr<Learner> make(const TrainConfig& config, const TextModelConfig& model, const Graph& graph,
                              const torch::Device& device) {
  const LanguageModel language_model = LanguageModel::open(config.language_model.path);
  TextInputs inputs = text_inputs(graph, config.graph, config.text, language_model);
  TrainConfig fitted = config;
  if (!config.memory_limit.empty() && device.is_cuda()) {
    const std::int64_t bytes = parse_bytes(config.memory_limit, "memory_limit");
    cap_device_bytes(device, bytes);
    const std::int64_t layers = language_model.config.layers;
    const std::int64_t tokens =
        tokens_within(bytes,
                      {.encoder = language_model.config,
                       .trained_layers = model.tuned_layers < 0 ? layers : std::min(model.tuned_layers, layers),
                       .element_bytes = config.language_model.precision == Precision::fp32 ? 4 : 2},
                      inputs);
    if (fitted.train.chunk_tokens == 0 || fitted.train.chunk_tokens > tokens) fitted.train.chunk_tokens = tokens;
  }
  at::manual_seed(config.seed);
  return std::make_unique<TextLearner>(
      fitted, open_text_model(model, config.language_model, language_model.folder, device), std::move(inputs), graph);
}

std::unique_ptr<Learner> make(const TrainConfig& config, const TableModelConfig& model, const Graph& graph,
                              const torch::Device& device) {
  at::manual_seed(config.seed);
  return std::make_unique<TableLearner>(config, model, graph, device);
}

std::unique_ptr<Learner> make(const TrainConfig& config, const KbganConfig& model, const Graph& graph,
                              const torch::Device& device) {
  at::manual_seed(config.seed);
  return std::make_unique<KbganLearner>(config, model, graph, device);
}

}  // namespace

std::unique_ptr<Learner> make_learner(const TrainConfig& config, const Graph& graph, const torch::Device& device) {
  return std::visit([&](const auto& model) { return make(config, model, graph, device); }, config.model);
}

}  // namespace hasa
