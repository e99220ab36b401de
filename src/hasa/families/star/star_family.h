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
          "corrupted tails per triple, drawn from the entities that are not known answers", Range{1, 1000});
  }
};

/// A language model and a classifier on top.
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
      "StAR: one language model encodes queries and entities; a classifier and a distance are trained against "
      "corrupted tails, and the classifier ranks; needs a GPU in practice";
  static constexpr bool kSeveralProcesses = true;

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
    field("model", &F::model, "what of the language model is fine-tuned");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model, "the language model that reads the texts");
    field("loss", &F::loss, "the training loss");
    field("negatives", &F::negatives, "the negatives");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size, validation and checkpoints");
  }
};

void check(const StarFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const StarFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the best model's folder is self-contained.
void complete_run(const StarFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const StarFamily& config, const OpenContext& context);
ModelFacts facts(const StarFamily& config);
std::int64_t opening_bytes(const StarFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
