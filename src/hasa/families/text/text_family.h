#pragma once

#include <string>

#include "hasa/families/family.h"
#include "hasa/families/text/text_model.h"
#include "hasa/input/text_config.h"
#include "hasa/loss/contrastive.h"
#include "hasa/model/language_model_config.h"
#include "hasa/negative/negatives_config.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

namespace hasa {

/// A step of a language model can be read in portions.
struct TextScheduleConfig : ScheduleConfig {
  std::int64_t chunk_tokens = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    ScheduleConfig::fields(field);
    field("chunk_tokens", &TextScheduleConfig::chunk_tokens,
          "most tokens the language model reads at a time in a step; a step with more is read in micro-batches, twice, "
          "which takes less memory and gives the same gradient but for dropout's draws; 0 reads all at once",
          Range{0, 1e12});
  }
};

/// The language model itself, trained on the graph's texts.
struct TextFamily {
  static constexpr const char* kTag = "text";
  static constexpr const char* kDoc = "the language model itself, trained on the texts, which wants a GPU";

  TextModelConfig model;
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
    field("memory_limit", &F::memory_limit,
          "most GPU memory to take, such as 16G; steps that need more are read in micro-batches, as "
          "train.chunk_tokens does; empty takes what is there");
    field("model", &F::model, "how the language model is asked, and what of it is trained");
    field("text", &F::text, "how entities are put into words");
    field("language_model", &F::language_model, "the language model that reads the texts");
    field("loss", &F::loss, "what is minimised");
    field("negatives", &F::negatives, "the candidates of a step beside the tails of its triples");
    field("optimiser", &F::optimiser, "what applies gradients");
    field("train", &F::train, "how long, and in what batches");
  }
};

void check(const TextFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const TextFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the folder of the best model can be opened by itself.
void complete_run(const TextFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const TextFamily& config, const OpenContext& context);
std::unique_ptr<TextReader> open_text_reader(const TextFamily& config, const OpenContext& context,
                                             const Scorer& scorer);
ModelFacts facts(const TextFamily& config);
std::int64_t opening_bytes(const TextFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
