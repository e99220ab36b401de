#include "hasa/families/star/star_family.h"

#include <ATen/Context.h>

#include <utility>

#include "hasa/families/opening_bytes.h"
#include "hasa/families/star/star_learner.h"
#include "hasa/families/text_facts.h"
#include "hasa/model/language_model.h"
#include "hasa/model/read_texts.h"

namespace hasa {

void check(const StarFamily& config, const torch::Device& device) { check_precision(config.language_model, device); }

std::unique_ptr<Learner> make_learner(const StarFamily& config, const TrainContext& context) {
  check_shared_dropout(config.model, config.language_model, context.comm);
  const LanguageModel language_model = LanguageModel::open(config.language_model.path);
  TextInputs inputs = text_inputs(context.graph, context.graph_folder, config.text, language_model);
  StarFamily fitted = config;
  fitted.train.chunk_tokens = chunk_tokens_within(
      {.limit = config.memory_limit, .tuning = config.model, .precision = config.language_model.precision},
      config.train.chunk_tokens, inputs, language_model.config, context.device);
  at::manual_seed(context.seed);
  return std::make_unique<StarLearner>(
      fitted,
      StarModel(config.model,
                open_tuned_encoder(config.model, config.language_model, language_model.folder, context.device)),
      std::move(inputs), context);
}

void complete_run(const StarFamily& config, const TrainContext&, const Run& run) {
  copy_vocabulary(config.language_model.path, run);
}

std::unique_ptr<Scorer> open_scorer(const StarFamily& config, const OpenContext& context) {
  const LanguageModel language_model = LanguageModel::open((context.run / Run::kBestFolder).string());
  const StarModel model(config.model,
                        open_tuned_encoder(config.model, config.language_model, language_model.folder, context.device));
  model.load_classifier(language_model.folder);
  return make_star_scorer(model, text_inputs(context.graph, context.graph_folder, config.text, language_model),
                          /*show_progress=*/true, context.comm);
}

ModelFacts facts(const StarFamily& config) {
  return {.name = "StAR: one language model encodes queries and entities, a one-layer classifier scores them",
          .language_model = pooled_name(config.language_model) + ", " + tuned_words(config.model),
          .text_template = text_template(config.text),
          .context = "none",
          .training_graph = "nothing: texts alone",
          .score = "the classifier's logit that the triple is true"};
}

std::int64_t opening_bytes(const StarFamily&, const Run& run, const Graph& graph) {
  const EncoderConfig encoder = read_encoder_config(run / Run::kBestFolder / "config.json");
  return bytes_of_vectors(run, graph, encoder.hidden + 1) + kReadingBytes;
}

}  // namespace hasa
