#pragma once

#include <cstdint>
#include <string>

#include "hasa/families/family.h"
#include "hasa/families/simkgc/simkgc_loss.h"
#include "hasa/families/simkgc/simkgc_model.h"
#include "hasa/families/tuned_text.h"
#include "hasa/input/text_config.h"
#include "hasa/model/language_model_config.h"
#include "hasa/train/optimiser.h"

namespace hasa {

/// The negatives of a query besides the batch's tails.
struct SimkgcNegativesConfig {
  bool self = true;
  std::int64_t pre_batches = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = SimkgcNegativesConfig;
    field("self", &C::self, "self-negatives: a query's own head is one of its negatives");
    field("pre_batches", &C::pre_batches, "pre-batch negatives: the tails of so many earlier steps, as encoded then",
          Range{0, 1000});
  }
};

/// Only the temperature is not part of a language model.
struct SimkgcOptimiserConfig : OptimiserConfig {
  SimkgcOptimiserConfig() { scale_lr = 5e-5; }

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = OptimiserConfig;
    field("language_model_lr", &C::language_model_lr, "learning rate of both language models", Range{0, 10});
    field("scale_lr", &C::scale_lr, "learning rate of the learned temperature, without weight decay", Range{1e-12, 10});
    field("weight_decay", &C::weight_decay, "weight decay (decoupled, multiplied by the learning rate)", Range{0, 10});
    field("clip", &C::clip, "maximum gradient norm over all parameters; 0: no clipping", Range{0, 1e6});
    RateSchedule::fields(field);
  }
};

/// The two directions of a triple can be in separate steps or in one.
struct SimkgcScheduleConfig : TextScheduleConfig {
  bool both_ends = false;

  template <class Visitor>
  static void fields(Visitor& field) {
    TextScheduleConfig::fields(field);
    field("both_ends", &SimkgcScheduleConfig::both_ends,
          "a step contains both directions of its triples, so that an entity's text serves as the answer of one query "
          "and the head of the other: a third fewer texts are encoded; false, as published: any order");
  }
};

/// SimKGC (Wang and others, 2022): two encoders and contrastive learning with many negatives.
struct SimkgcFamily {
  static constexpr const char* kTag = "simkgc";
  static constexpr const char* kDoc =
      "SimKGC: two language models, one for queries and one for entities, trained with in-batch, pre-batch and "
      "self-negatives; needs a GPU in practice";
  static constexpr bool kSeveralProcesses = true;

  SimkgcModelConfig model;
  NeighbourTextConfig text;
  TunedLanguageModelConfig language_model;
  SimkgcLossConfig loss;
  SimkgcNegativesConfig negatives;
  SimkgcOptimiserConfig optimiser;
  SimkgcScheduleConfig train;
  std::string memory_limit;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = SimkgcFamily;
    field("memory_limit", &F::memory_limit, kMemoryLimitDoc);
    field("model", &F::model, "what is trained of the two language models");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model, "the language model that both start from");
    field("loss", &F::loss, "the training loss");
    field("negatives", &F::negatives, "the negatives, beside the batch's tails");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size, validation and checkpoints");
  }
};

void check(const SimkgcFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const SimkgcFamily& config, const TrainContext& context);
/// Copies the vocabulary, so that the best model's folder is self-contained.
void complete_run(const SimkgcFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const SimkgcFamily& config, const OpenContext& context);
ModelFacts facts(const SimkgcFamily& config);
std::int64_t opening_bytes(const SimkgcFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
