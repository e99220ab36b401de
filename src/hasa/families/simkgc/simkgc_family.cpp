#include "hasa/families/simkgc/simkgc_family.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <utility>

#include "hasa/base/error.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/simkgc/simkgc_learner.h"
#include "hasa/families/text_facts.h"
#include "hasa/model/language_model.h"
#include "hasa/model/read_texts.h"

namespace hasa {

void check(const SimkgcFamily& config, const torch::Device& device) {
  check_precision(config.language_model, device);
  HASA_CHECK(config.model.tuned_layers != 0, config,
             "model.tuned_layers is 0, which leaves nothing to train\nset model.tuned_layers to at least 1, or to -1");
  HASA_CHECK(config.train.batch != 1 || config.negatives.self || config.negatives.pre_batches > 0, config,
             "a step of one triple without other candidates has no negatives\nset a larger train.batch, negatives.self "
             "or negatives.pre_batches");
  HASA_CHECK(!config.train.both_ends || config.train.batch % 2 == 0, config,
             "train.batch is {}, but with train.both_ends each triple counts as two\nset it to an even number",
             config.train.batch);
}

std::unique_ptr<Learner> make_learner(const SimkgcFamily& config, const TrainContext& context) {
  check_shared_dropout(config.model, config.language_model, context.comm);
  const LanguageModel language_model = LanguageModel::open(config.language_model.path);
  TextInputs inputs = text_inputs(context.graph, context.graph_folder, config.text, language_model);
  SimkgcFamily fitted = config;
  fitted.train.chunk_tokens =
      chunk_tokens_within({.limit = config.memory_limit,
                           .tuning = config.model,
                           .precision = config.language_model.precision,
                           .encoders = 2},
                          config.train.chunk_tokens, inputs, language_model.config, context.device);
  at::manual_seed(context.seed);
  return std::make_unique<SimkgcLearner>(
      fitted,
      SimkgcModel(config.model,
                  open_tuned_encoder(config.model, config.language_model, language_model.folder, context.device)),
      std::move(inputs), context);
}

void complete_run(const SimkgcFamily& config, const TrainContext&, const Run& run) {
  copy_vocabulary(config.language_model.path, run);
}

std::unique_ptr<Scorer> open_scorer(const SimkgcFamily& config, const OpenContext& context) {
  const LanguageModel language_model = LanguageModel::open((context.run / Run::kBestFolder).string());
  const SimkgcModel model(
      config.model, open_tuned_encoder(config.model, config.language_model, language_model.folder, context.device));
  model.load_rest(language_model.folder);
  return make_simkgc_scorer(model, text_inputs(context.graph, context.graph_folder, config.text, language_model),
                            /*show_progress=*/true, context.comm);
}

ModelFacts facts(const SimkgcFamily& config) {
  const std::int64_t neighbours = config.text.neighbours;
  return {.name = "SimKGC: one language model encodes head and relation as a pair, another entities",
          .language_model = pooled_name(config.language_model) + ", both " + tuned_words(config.model),
          .text_template = text_template(config.text),
          .context = neighbours == 0 ? "none"
                                     : fmt::format("names of up to {} training neighbours after a description of fewer "
                                                   "than {} words",
                                                   neighbours, config.text.neighbours_below),
          .training_graph = neighbours == 0 ? "nothing: texts alone"
                                            : "names of an entity's training neighbours, no valid or test edges",
          .score = "cosine of query and entity; the learned temperature does not affect ranks"};
}

std::int64_t opening_bytes(const SimkgcFamily&, const Run& run, const Graph& graph) {
  const EncoderConfig encoder = read_encoder_config(run / Run::kBestFolder / "config.json");
  return bytes_of_vectors(run, graph, encoder.hidden) + kReadingBytes;
}

}  // namespace hasa
