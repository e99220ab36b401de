#pragma once

#include <string>

#include "hasa/families/family.h"
#include "hasa/families/kbgan/kbgan_model.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

namespace hasa {

/// KBGAN: one embedding model generates another's negatives.
struct KbganFamily {
  static constexpr const char* kTag = "kbgan";
  static constexpr const char* kDoc = "two embedding models without text, of which one generates the other's negatives";
  static constexpr bool kSeveralProcesses = true;

  KbganModelConfig model;
  TableOptimiserConfig optimiser;
  ScheduleConfig train;
  std::string memory_limit;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = KbganFamily;
    field("memory_limit", &F::memory_limit,
          "limit on GPU memory, such as 16G: settings that do not fit are rejected, with ones that would; empty: no "
          "limit");
    field("model", &F::model, "generator and discriminator");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size, validation and checkpoints");
  }
};

void check(const KbganFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const KbganFamily& config, const TrainContext& context);
std::unique_ptr<Scorer> open_scorer(const KbganFamily& config, const OpenContext& context);
ModelFacts facts(const KbganFamily& config);
std::int64_t opening_bytes(const KbganFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
