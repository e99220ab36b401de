#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hasa/kg/known_answers.h"
#include "hasa/model/text_model.h"
#include "hasa/negative/step_plan.h"
#include "hasa/negative/two_hop.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/learner.h"
#include "hasa/train/miner.h"
#include "hasa/train/prefetch.h"
#include "hasa/train/text_step.h"
#include "hasa/train/train_config.h"

namespace hasa {

/// Trains a language model on a graph's texts with one of the contrastive losses. Every distinct text of a step is
/// read once, in one pass or, where a step's texts exceed train.chunk_tokens, in several that give the same gradient.
class TextLearner : public Learner {
 public:
  /// The graph must outlive it.
  TextLearner(const TrainConfig& config, TextModel model, TextInputs inputs, const Graph& graph);

  std::int64_t examples() const override { return static_cast<std::int64_t>(triples_.size()); }
  TrainAdvice advice() const override {
    return {
        "train.chunk_tokens=16384 (the same result in less memory), a smaller train.batch, or a smaller "
        "text.max_tokens",
        "a smaller optimiser.lr or optimiser.language_model_lr, or optimiser.clip=1",
        "a smaller model.scale, more candidates (train.batch, negatives), or a smaller rate"};
  }
  Parameters parameters() const override { return model_.parameters(); }
  StepReport backward(std::int64_t step) override;
  void parameters_changed() override { model_.publish(); }
  NamedTensors state() const override;
  void loaded() override;
  double scale() const override { return model_.scale().item<double>(); }
  std::unique_ptr<Scorer> scorer() const override { return make_scorer(model_, inputs_); }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override {
    model_.save(folder, about);
  }

 private:
  std::vector<AskedTriple> batch_of(std::int64_t step, BatchOrder& order) const;
  /// Runs on the thread that works ahead.
  TextStep prepare(std::int64_t step);
  /// The step's inputs, on the device.
  TextStep take(std::int64_t step);
  torch::Tensor read(const PackedTokens& tokens) const;
  ContrastiveLoss loss_of(const TextStep& step, const torch::Tensor& texts);
  ContrastiveLoss backward_in_chunks(const TextStep& step);

  TrainConfig config_;
  const Graph& graph_;
  TextModel model_;
  TextInputs inputs_;
  KnownAnswers known_;
  std::vector<Triple> triples_;  // training triples, then their inverses in the same order
  std::optional<TwoHopSampler> near_;
  std::optional<Miner> miner_;
  BatchOrder order_;        // of this thread
  BatchOrder ahead_order_;  // of the thread that works ahead
  StepPlanner planner_;     // likewise
  Prefetch<TextStep> ahead_;
};

}  // namespace hasa
