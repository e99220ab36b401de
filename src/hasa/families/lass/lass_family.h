#pragma once

#include "hasa/families/cross/cross_config.h"
#include "hasa/families/family.h"
#include "hasa/families/lass/span_head.h"
#include "hasa/input/text_config.h"

namespace hasa {

/// Corruptions of a training triple: LASS also replaces the relation.
struct LassCorruptionConfig : CorruptionConfig {
  LassCorruptionConfig() { relations = 1; }
};

/// A language model's pass over a triple, with a structural loss.
struct LassFamily {
  static constexpr const char* kTag = "lass";
  static constexpr const char* kDoc =
      "LASS: the language model reads a triple as one text, and the vectors of its head, relation and tail are scored "
      "as a translation; exact ranks take long, as with kgbert";
  static constexpr bool kSeveralProcesses = true;

  LassModelConfig model;
  TextConfig text;
  UnpooledLanguageModelConfig language_model;
  LassCorruptionConfig negatives;
  CrossOptimiserConfig optimiser;
  CrossScheduleConfig train;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = LassFamily;
    field("model", &F::model, "how a triple is scored, and what of the language model is fine-tuned");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model, "the language model that reads the triples");
    field("negatives", &F::negatives, "the corrupted triples of a step");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size (in true triples), validation and checkpoints");
  }
};

void check(const LassFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const LassFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the best model's folder is self-contained.
void complete_run(const LassFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const LassFamily& config, const OpenContext& context);
ModelFacts facts(const LassFamily& config);
std::int64_t opening_bytes(const LassFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
