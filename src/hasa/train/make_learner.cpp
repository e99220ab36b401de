#include "hasa/train/make_learner.h"

#include <ATen/Context.h>

#include <variant>

#include "hasa/train/frozen_learner.h"
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
  at::manual_seed(config.seed);
  return std::make_unique<TextLearner>(
      config, open_text_model(model, config.language_model, language_model.folder, device), std::move(inputs), graph);
}

}  // namespace

std::unique_ptr<Learner> make_learner(const TrainConfig& config, const Graph& graph, const torch::Device& device) {
  return std::visit([&](const auto& model) { return make(config, model, graph, device); }, config.model);
}

}  // namespace hasa
