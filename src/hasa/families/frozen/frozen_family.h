#pragma once

#include <string>

#include "hasa/families/family.h"
#include "hasa/families/frozen/frozen_model.h"
#include "hasa/families/run_texts.h"
#include "hasa/input/text_config.h"
#include "hasa/loss/contrastive.h"
#include "hasa/model/language_model_config.h"
#include "hasa/negative/negatives_config.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

namespace hasa {

struct FrozenNegativesConfig : NeighboursConfig {
  std::int64_t candidates = 0;
  std::string truths;

  template <class Visitor>
  static void fields(Visitor& field) {
    NeighboursConfig::fields(field);
    field("candidates", &FrozenNegativesConfig::candidates,
          "entities drawn at random in each step that its answers are told from, besides its tails; 0: all entities",
          Range{0, 1e9});
    field("truths", &FrozenNegativesConfig::truths,
          "folder of a graph with the same entities and relations, whose training triples are no negatives either: of "
          "a graph that links were held out from, the whole one. An oracle, to find out what false negatives cost");
  }
};

/// New layers over a frozen language model.
struct FrozenFamily {
  static constexpr const char* kTag = "frozen";
  static constexpr const char* kDoc = "new layers over a language model that stays as it is, which suits a CPU";
  static constexpr bool kSeveralProcesses = true;

  FrozenModelConfig model;
  TextConfig text;
  LanguageModelConfig language_model;
  ContrastiveConfig loss;
  FrozenNegativesConfig negatives;
  ScaledOptimiserConfig optimiser;
  ScheduleConfig train;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = FrozenFamily;
    field("model", &F::model, "the new layers");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model, "the language model that reads the texts");
    field("loss", &F::loss, "the training loss");
    field("negatives", &F::negatives, "the negatives");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size, validation and checkpoints");
  }
};

void check(const FrozenFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const FrozenFamily& config, const TrainContext& context);
/// Stores the texts' embeddings in the run, so that it can be queried without the language model.
void complete_run(const FrozenFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const FrozenFamily& config, const OpenContext& context);
std::unique_ptr<TextReader> open_text_reader(const FrozenFamily& config, const OpenContext& context,
                                             const Scorer& scorer);
ModelFacts facts(const FrozenFamily& config);
std::int64_t opening_bytes(const FrozenFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
