#pragma once

#include <string>

#include "hasa/families/family.h"
#include "hasa/families/text/pair_terms.h"
#include "hasa/families/text/text_model.h"
#include "hasa/families/tuned_text.h"
#include "hasa/input/text_config.h"
#include "hasa/loss/contrastive.h"
#include "hasa/model/language_model_config.h"
#include "hasa/negative/negatives_config.h"
#include "hasa/train/optimiser.h"

namespace hasa {

/// The language model itself, fine-tuned on the graph's texts.
struct TextFamily {
  static constexpr const char* kTag = "text";
  static constexpr const char* kDoc = "the language model itself, trained on the texts, which wants a GPU";

  TextModelConfig model;
  PairTermsConfig terms;
  ContextTextConfig text;
  TunedLanguageModelConfig language_model;
  ContrastiveConfig loss;
  NegativesConfig negatives;
  TextOptimiserConfig optimiser;
  TextScheduleConfig train;
  std::string memory_limit;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = TextFamily;
    field("memory_limit", &F::memory_limit, kMemoryLimitDoc);
    field("model", &F::model, "how the language model is used, and what of it is fine-tuned");
    field("terms", &F::terms, "what a score adds to how alike query and entity are");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model, "the language model that reads the texts");
    field("loss", &F::loss, "the training loss");
    field("negatives", &F::negatives, "a step's candidates besides the tails of its triples");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size, validation and checkpoints");
  }
};

void check(const TextFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const TextFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the best model's folder is self-contained.
void complete_run(const TextFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const TextFamily& config, const OpenContext& context);
std::unique_ptr<TextReader> open_text_reader(const TextFamily& config, const OpenContext& context,
                                             const Scorer& scorer);
ModelFacts facts(const TextFamily& config);
std::int64_t opening_bytes(const TextFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
