#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hasa/families/text/miner.h"
#include "hasa/families/text/text_family.h"
#include "hasa/families/text/text_model.h"
#include "hasa/families/text/text_step.h"
#include "hasa/kg/known_answers.h"
#include "hasa/negative/near_sampler.h"
#include "hasa/negative/step_plan.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"

namespace hasa {

/// Trains a language model on a graph's texts with one of the contrastive losses. Every distinct text of a step is
/// read once, in one pass or, where a step's texts exceed train.chunk_tokens, in several that give the same gradient.
class TextLearner : public GradientLearner {
 public:
  TextLearner(const TextFamily& config, TextModel model, TextInputs inputs, const TrainContext& context);

  Examples examples() const override { return {std::ssize(triples_)}; }
  TrainAdvice advice() const override {
    return {
        "train.chunk_tokens=16384 (the same result in less memory), a smaller train.batch, or a smaller "
        "text.max_tokens",
        "a smaller optimiser.lr or optimiser.language_model_lr, or optimiser.clip=1",
        "a smaller model.scale, more candidates (train.batch, negatives), or a smaller rate"};
  }
  Parameters parameters() const override { return model_.parameters(); }
  std::vector<std::string> metric_names() const override;
  StepReport backward(std::int64_t step) override;
  void loaded() override;
  std::unique_ptr<Scorer> scorer() const override {
    return with_pair_terms(make_scorer(model_, inputs_, /*show_progress=*/false, comm()), model_, terms_);
  }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override {
    model_.save(folder, about);
  }

 protected:
  void parameters_changed() override { model_.publish(); }
  /// Each process reads its share of a step's texts, soft tokens with them; what stands on the language model, and the
  /// loss, all have whole.
  bool in_parts(const Parameter& parameter) const override {
    return parameter.kind == ParameterKind::language_model || TextModel::is_of_soft_tokens(parameter);
  }
  NamedTensors further_state() const override;

 private:
  std::vector<StepTriple> batch_of(std::int64_t step, BatchOrder& order) const;
  /// Runs on the thread that works ahead.
  TextStep prepare(std::int64_t step);
  /// The step's inputs, on the device.
  TextStep take(std::int64_t step);
  torch::Tensor read(const PackedTokens& tokens) const;
  /// Reads the vectors of neighbours for soft tokens, if they are older than text.soft_refresh.
  void refresh_bank(std::int64_t step);
  /// What the step's candidates are scored by.
  torch::Tensor scores_of(const TextStep& step, const torch::Tensor& queries, const torch::Tensor& entities) const;
  ContrastiveLoss loss_of(const TextStep& step, const torch::Tensor& texts);

  TextFamily config_;
  std::uint64_t seed_;
  const Graph& graph_;
  TextModel model_;
  TextInputs inputs_;
  std::shared_ptr<const PairTerms> terms_;  // null without
  KnownAnswers known_;
  std::vector<Triple> triples_;  // training triples, then their inverses in the same order
  std::optional<NearSampler> near_;
  torch::Tensor bank_step_;  // [1] int64: when the model's bank was read, -1 before that
  std::optional<Miner> miner_;
  BatchOrder order_;        // of this thread
  BatchOrder ahead_order_;  // of the thread that works ahead
  StepPlanner planner_;     // likewise
  Prefetch<TextStep> ahead_;
};

}  // namespace hasa
