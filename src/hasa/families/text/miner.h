#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hasa/families/text/text_model.h"
#include "hasa/kg/known_answers.h"
#include "hasa/negative/negatives_config.h"
#include "hasa/negative/step_plan.h"
#include "hasa/train/mined_window.h"

namespace hasa {

struct MinerSetting {
  std::int64_t batch = 0;
  std::int64_t steps = 0;  // of the whole training
  std::uint64_t seed = 0;
  bool context = false;  // entity texts include edges, in words or as soft tokens
};

/// Mines each triple's hardest negatives: the highest-scoring entities of the whole graph, known training
/// answers excluded, by a bank of every entity's embedding; in the precision of the
/// model's passes, so in bfloat16 on a GPU. The step encodes the mined entities afresh.
///
/// With refresh=whole the bank is read anew every refresh_steps, and all queries of these steps are asked at once; with
/// refresh=overwrite it is read once, each step's own embeddings go into it, and each step asks for itself. A query
/// never reads the edge it asks for. Of several processes each reads and asks its share, and all learn what was found.
class Miner {
 public:
  /// References must outlive it.
  Miner(const TextModel& model, const TextInputs& inputs, const KnownAnswers& known, const NegativesConfig& config,
        const MinerSetting& setting, Comm& comm = one_process());

  /// Whether this step must be mined first.
  bool needs(std::int64_t step) const;
  /// Mines for this step and the following ones it covers. batch_of(step) gives a step's triples.
  void mine(std::int64_t step, const std::function<std::vector<StepTriple>(std::int64_t)>& batch_of);
  /// Steps below this one have been mined.
  std::int64_t limit() const;
  /// config.hard entities for each triple of the step, -1 for
  /// none. Thread-safe, for steps in [step of the last mine(), limit()).
  std::vector<EntityId> mined(std::int64_t step, std::size_t triples) const {
    return window_.of(step, triples * static_cast<std::size_t>(config_.hard));
  }

  /// refresh=overwrite: overwrites the bank's rows with a step's fresh embeddings; entities are distinct.
  void overwrite(const torch::Tensor& entities, const torch::Tensor& vectors);

  NamedTensors state() const;
  /// Called after state()'s tensors were filled.
  void state_changed();

 private:
  torch::Tensor queries(std::span<const StepTriple> asked, std::int64_t step) const;
  torch::Tensor read(const std::vector<TextRequest>& requests, std::int64_t step) const;
  std::int64_t steps_covered() const;

  const TextModel& model_;
  const TextInputs& inputs_;
  const KnownAnswers& known_;
  NegativesConfig config_;
  MinerSetting setting_;
  Comm& comm_;
  torch::Tensor first_step_;  // [1] int64, -1 before the first
  torch::Tensor found_;       // [steps covered * batch, hard] int64, on the CPU
  MinedWindow window_;        // the same, as read by planned steps
  torch::Tensor bank_;        // [entities, dim] float32 on the device; kept for refresh=overwrite
  torch::Tensor relations_;   // of now, gru
};

}  // namespace hasa
