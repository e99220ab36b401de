#pragma once

#include "hasa/families/cross/cross_config.h"
#include "hasa/families/family.h"
#include "hasa/input/text_config.h"
#include "hasa/model/tuned_encoder.h"

namespace hasa {

/// A cross-encoder over the text of a triple, trained to classify true and false ones.
struct KgBertFamily {
  static constexpr const char* kTag = "kgbert";
  static constexpr const char* kDoc =
      "KG-BERT: a cross-encoder reads head, relation and candidate as one text, for every candidate; exact ranks take "
      "long (hasa eval --sample), re-ranking a shortlist does not (model.type=rerank)";
  static constexpr bool kSeveralProcesses = true;

  TuningConfig model;
  TextConfig text;
  ClassifierLanguageModelConfig language_model;
  CorruptionConfig negatives;
  CrossOptimiserConfig optimiser;
  CrossScheduleConfig train;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = KgBertFamily;
    field("model", &F::model, "what of the language model is trained");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model, "the language model that reads the triples");
    field("negatives", &F::negatives, "the corrupted triples of a step");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size (in true triples), validation and checkpoints");
  }
};

void check(const KgBertFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const KgBertFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the best model's folder is self-contained.
void complete_run(const KgBertFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const KgBertFamily& config, const OpenContext& context);
ModelFacts facts(const KgBertFamily& config);
std::int64_t opening_bytes(const KgBertFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
