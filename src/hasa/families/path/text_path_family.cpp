#include "hasa/families/path/text_path_family.h"

#include <ATen/Context.h>

#include "hasa/base/error.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/path/path_learner.h"
#include "hasa/families/path/path_scorer.h"
#include "hasa/families/text_facts.h"
#include "hasa/model/text_embeddings.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

/// Its options that a path model has too.
PathFamily without_texts(const TextPathFamily& config) {
  return {.model = config.model, .paths = config.paths, .optimiser = config.optimiser, .train = config.train};
}

TextEmbeddings texts_of(const TextPathFamily& config, const TrainContext& context) {
  return embed_texts(context.graph, context.graph_folder, config.text, config.language_model, context.device);
}

TextEmbeddings texts_in(const Run& run) {
  try {
    return TextEmbeddings::load(run / Run::kTexts);
  } catch (const Error& error) {
    fail(error.kind(), "{}\ndelete it, and hasa train --resume recreates it", error.what());
  }
}

PathModel text_path_model(const TextPathFamily& config, const TextEmbeddings& texts, const Graph& graph,
                          const torch::Device& device) {
  PathModel model(config.model, graph.relations(), device);
  model.add_texts(texts.entities, config.model.text_dim);
  return model;
}

}  // namespace

void check(const TextPathFamily& config, const torch::Device& device) { check(without_texts(config), device); }

std::unique_ptr<Learner> make_learner(const TextPathFamily& config, const TrainContext& context) {
  const bool kept = context.run != nullptr && std::filesystem::exists(*context.run / Run::kTexts);
  // Where several processes train together rank 0 reads, or has read, for all of them.
  TextEmbeddings texts;
  if (context.comm.first()) texts = kept ? texts_in(*context.run) : texts_of(config, context);
  texts.share(context.comm);
  at::manual_seed(context.seed);
  return std::make_unique<PathLearner>(without_texts(config),
                                       text_path_model(config, texts, context.graph, context.device), context);
}

void complete_run(const TextPathFamily& config, const TrainContext& context, const Run& run) {
  if (std::filesystem::exists(run / Run::kTexts)) return;
  const TextEmbeddings texts = texts_of(config, context);
  run.put(Run::kHere, [&](const std::filesystem::path& folder) { texts.save(folder / Run::kTexts); });
}

std::unique_ptr<Scorer> open_scorer(const TextPathFamily& config, const OpenContext& context) {
  const PathModel model = text_path_model(config, texts_in(context.run), context.graph, context.device);
  copy_into(model.parameters(), load_tensors(context.run / Run::kBest));
  return std::make_unique<PathScorer>(model, training_paths(context.graph).to(context.device));
}

ModelFacts facts(const TextPathFamily& config) {
  ModelFacts words = facts(without_texts(config));
  words.name += " with texts";
  words.language_model = pooled_name(config.language_model) + ", frozen";
  words.text_template = text_template(config.text);
  words.score = "an MLP of the messages that reached the entity and of both entities' texts";
  return words;
}

std::int64_t opening_bytes(const TextPathFamily& config, const Run& run, const Graph& graph) {
  return opening_bytes(without_texts(config), run, graph) + bytes_of_vectors(run, graph, config.model.text_dim);
}

}  // namespace hasa
