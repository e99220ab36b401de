#pragma once

#include <cstdint>
#include <string>

#include "hasa/families/family.h"
#include "hasa/families/star/star_loss.h"
#include "hasa/families/star/star_model.h"
#include "hasa/families/tuned_text.h"
#include "hasa/input/text_config.h"
#include "hasa/model/language_model_config.h"
#include "hasa/train/optimiser.h"

namespace hasa {

struct StarNegativesConfig {
  std::int64_t random = 5;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("random", &StarNegativesConfig::random,
          "false tails of each triple, drawn among the entities that are no known answer", Range{1, 1000});
  }
};

/// A language model and a classifier on it.
struct StarOptimiserConfig : OptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    OptimiserConfig::fields(field);
    field("language_model_lr", &OptimiserConfig::language_model_lr, "learning rate of the language model",
          Range{0, 10});
  }
};

/// StAR (Wang and others, 2021): a Siamese encoder, a classifier of its pairs, and their distance.
struct StarFamily {
  static constexpr const char* kTag = "star";
  static constexpr const char* kDoc =
      "StAR: one language model reads queries and entities, a classifier and their distance learn from false tails, "
      "and "
      "the classifier answers; wants a GPU";

  TuningConfig model;
  TextConfig text;
  TunedLanguageModelConfig language_model;
  StarLossConfig loss;
  StarNegativesConfig negatives;
  StarOptimiserConfig optimiser;
  TextScheduleConfig train;
  std::string memory_limit;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = StarFamily;
    field("memory_limit", &F::memory_limit, kMemoryLimitDoc);
    field("model", &F::model, "what is trained of the language model");
    field("text", &F::text, "how entities are put into words");
    field("language_model", &F::language_model, "the language model that reads the texts");
    field("loss", &F::loss, "what is minimised");
    field("negatives", &F::negatives, "what answers are told from");
    field("optimiser", &F::optimiser, "what applies gradients");
    field("train", &F::train, "how long, and in what batches");
  }
};

void check(const StarFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const StarFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the folder of the best model can be opened by itself.
void complete_run(const StarFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const StarFamily& config, const OpenContext& context);
ModelFacts facts(const StarFamily& config);
std::int64_t opening_bytes(const StarFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
