#pragma once

#include <cstdint>
#include <vector>

#include "hasa/families/star/star_family.h"
#include "hasa/families/star/star_step.h"
#include "hasa/kg/known_answers.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"

namespace hasa {

/// Trains StAR on both its objectives. Every distinct text of a step is encoded once, in one pass or,
/// if a step's texts exceed train.chunk_tokens, in micro-batches that give the same gradient.
class StarLearner : public GradientLearner {
 public:
  StarLearner(const StarFamily& config, StarModel model, TextInputs inputs, const TrainContext& context);

  Examples examples() const override { return {std::ssize(triples_)}; }
  TrainAdvice advice() const override {
    return {
        "train.chunk_tokens=16384 (the same result in less memory), a smaller train.batch, or a smaller "
        "text.max_tokens",
        "a smaller optimiser.lr or optimiser.language_model_lr, or optimiser.clip=1",
        "a greater train.batch, or a smaller rate"};
  }
  Parameters parameters() const override { return model_.parameters(); }
  std::vector<std::string> metric_names() const override { return {"classification", "ranking"}; }
  StepReport backward(std::int64_t step) override;
  void loaded() override { model_.encoder().publish(); }
  std::unique_ptr<Scorer> scorer() const override {
    return make_star_scorer(model_, inputs_, /*show_progress=*/false, comm());
  }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override {
    model_.save(folder, about);
  }

 protected:
  void parameters_changed() override { model_.encoder().publish(); }
  /// Each process reads its share of a step's texts; what stands on the language model, and the loss, all have whole.
  bool in_parts(const Parameter& parameter) const override { return parameter.kind == ParameterKind::language_model; }

 private:
  /// Runs on the prefetching thread.
  StarStep prepare(std::int64_t step);
  StarLoss loss_of(const StarStep& step, const torch::Tensor& texts) const;

  StarFamily config_;
  std::uint64_t seed_;
  EntityId entities_;
  StarModel model_;
  TextInputs inputs_;
  KnownAnswers known_;
  std::vector<Triple> triples_;  // training triples, then their inverses in the same order
  BatchOrder order_;             // used by the prefetching thread
  Prefetch<StarStep> ahead_;
};

}  // namespace hasa
