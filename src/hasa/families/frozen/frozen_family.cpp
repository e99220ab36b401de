#include "hasa/families/frozen/frozen_family.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/families/frozen/frozen_learner.h"
#include "hasa/families/grown_weights.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/text_facts.h"
#include "hasa/loss/check_loss.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

/// Said of what the model reads of the graph, since what is no negative was learned from too.
std::string oracle_words(const FrozenNegativesConfig& negatives) {
  if (negatives.truths.empty()) return "";
  return fmt::format("; trained by an oracle that leaves the triples of {} out of the negatives",
                     std::filesystem::path(negatives.truths).lexically_normal().filename().string());
}

/// `context`: of training or of opening.
template <class Context>
TextsOf texts_wanted(const FrozenFamily& config, const Context& context) {
  return {context.graph, context.graph_folder, config.text, config.language_model, context.device};
}

}  // namespace

void check(const FrozenFamily& config, const torch::Device&) {
  check_loss(config.loss);
  HASA_CHECK(config.model.hidden_edges == EdgeRule::exact || config.model.context_layers > 0, config,
             "model.hidden_edges has no effect without context\nremove it, or set model.context_layers to at least 1");
  if (config.model.hidden_edges == EdgeRule::none)
    log_warning("model.hidden_edges=none: {}", edge_rule_words(config.model.hidden_edges));
}

std::unique_ptr<Learner> make_learner(const FrozenFamily& config, const TrainContext& context) {
  HASA_CHECK(context.comm.alone() || config.negatives.candidates == 0, config,
             "negatives.candidates is for a single process\nset negatives.candidates=0, or start one process");
  // Where several processes train together rank 0 reads, or has read, for all of them.
  TextEmbeddings texts;
  if (context.comm.first()) texts = texts_to_train_on(texts_wanted(config, context), context.run);
  texts.share(context.comm);
  at::manual_seed(context.seed);
  return std::make_unique<FrozenLearner>(config, texts, context);
}

void complete_run(const FrozenFamily& config, const TrainContext& context, const Run& run) {
  keep_texts(texts_wanted(config, context), run);
}

std::unique_ptr<Scorer> open_scorer(const FrozenFamily& config, const OpenContext& context) {
  const TextEmbeddings texts = texts_of_run(texts_wanted(config, context), context.run);
  FrozenModel model(config.model, texts, context.graph, context.device);
  load_grown(model.parameters(), load_weights(context.run / Run::kBest), context.run);
  return model.scorer();
}

ModelFacts facts(const FrozenFamily& config) {
  const std::int64_t layers = config.model.context_layers;
  return {.name = fmt::format("a projection to {} dimensions and a GRU query over a frozen language model",
                              config.model.dim),
          .language_model = pooled_name(config.language_model) + ", frozen",
          .text_template = text_template(config.text),
          .context = layers == 0 ? "none"
                                 : fmt::format("vectors of the neighbours, {} layer{}; {}", layers,
                                               layers == 1 ? "" : "s", edge_rule_words(config.model.hidden_edges)),
          .training_graph = (layers == 0 ? std::string("nothing: texts alone")
                                         : std::string("all training edges, no valid or test edges")) +
                            oracle_words(config.negatives),
          .score = "cosine of query and entity; the learned scale does not affect ranks"};
}

std::int64_t opening_bytes(const FrozenFamily& config, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, config.model.dim);
}

}  // namespace hasa
