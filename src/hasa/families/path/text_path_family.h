#pragma once

#include "hasa/families/path/path_family.h"
#include "hasa/input/text_config.h"
#include "hasa/model/language_model_config.h"

namespace hasa {

struct TextPathModelConfig : PathModelConfig {
  std::int64_t text_dim = 128;

  template <class Visitor>
  static void fields(Visitor& field) {
    PathModelConfig::fields(field);
    field("text_dim", &TextPathModelConfig::text_dim, "size of the vectors that entities' texts are projected to",
          Range{1, 4096});
  }
};

/// A path model that is also told what entities' texts say.
struct TextPathFamily {
  static constexpr const char* kTag = "text_path";
  static constexpr const char* kDoc =
      "a path model that also reads what a language model, left as it is, makes of the texts of query and candidate";
  static constexpr bool kSeveralProcesses = true;

  TextPathModelConfig model;
  TextConfig text;
  LanguageModelConfig language_model;
  PathTrainingConfig paths;
  OptimiserConfig optimiser;
  ScheduleConfig train;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = TextPathFamily;
    field("model", &F::model, "how far and how wide messages are passed, and how much of a text is taken in");
    field("text", &F::text, "how entities become texts");
    field("language_model", &F::language_model,
          "the language model that reads the texts; the best folder of a run that trained one is one too");
    field("paths", &F::paths, "what is predicted in training, and which edges are hidden");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train,
          "epochs, batch size, validation and checkpoints; examples are distinct queries, not triples");
  }
};

void check(const TextPathFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const TextPathFamily& config, const TrainContext& context);
/// Stores the texts' embeddings in the run, so that it can be queried without the language model.
void complete_run(const TextPathFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const TextPathFamily& config, const OpenContext& context);
ModelFacts facts(const TextPathFamily& config);
std::int64_t opening_bytes(const TextPathFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
