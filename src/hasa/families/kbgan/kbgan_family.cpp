#include "hasa/families/kbgan/kbgan_family.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/families/kbgan/kbgan_learner.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/text_facts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {

void check(const KbganFamily& config, const torch::Device&) {
  const KbganModelConfig& model = config.model;
  HASA_CHECK(model.generator != KbganGenerator::complex || model.generator_dim % 2 == 0, config,
             "model.generator_dim is {}, but ComplEx takes an even number: real and imaginary parts",
             model.generator_dim);
  if (config.train.epochs > 0 && model.pretrain_epochs >= config.train.epochs) {
    log_warning("all {} epochs are pretraining (model.pretrain_epochs={}): adversarial training never starts",
                config.train.epochs, model.pretrain_epochs);
  }
}

std::unique_ptr<Learner> make_learner(const KbganFamily& config, const TrainContext& context) {
  at::manual_seed(context.seed);
  return std::make_unique<KbganLearner>(config, context);
}

std::unique_ptr<Scorer> open_scorer(const KbganFamily& config, const OpenContext& context) {
  const KbganModel model(config.model, context.graph.entities(), context.graph.relations(), context.device);
  copy_into(model.parameters(), load_weights(context.run / Run::kBest));
  return model.scorer();
}

ModelFacts facts(const KbganFamily& config) {
  const KbganModelConfig& model = config.model;
  const bool transd = model.discriminator == KbganDiscriminator::transd;
  return {.name = fmt::format("KBGAN: {}, {} numbers a vector, against negatives that {} chose",
                              transd ? "TransD" : "TransE", model.dim,
                              model.generator == KbganGenerator::complex ? "ComplEx" : "DistMult"),
          .language_model = "none",
          .text_template = kNoText,
          .context = "none",
          .training_graph = "nothing: entities and relations are their vectors",
          .score = transd ? "negative square of the distance, written as a dot product"
                          : fmt::format("negative L{} distance of query and entity", model.norm)};
}

std::int64_t opening_bytes(const KbganFamily& config, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, config.model.dim);
}

}  // namespace hasa
