#pragma once

#include <cstdint>
#include <vector>

#include "hasa/families/simkgc/simkgc_family.h"
#include "hasa/families/simkgc/simkgc_step.h"
#include "hasa/kg/known_answers.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"

namespace hasa {

/// The tails of the last steps, as encoded then: a ring buffer with a slot per step.
struct EarlierTails {
  EarlierTails(std::int64_t slots, std::int64_t batch, std::int64_t dim, const torch::Device& device);

  std::int64_t slots() const { return steps.size(0); }
  /// The step whose tails are in a slot during `step`; -1 for none.
  std::int64_t step_in(std::int64_t slot, std::int64_t step) const;
  /// tails [triples, dim] of the step just taken.
  void keep(const torch::Tensor& tails, std::int64_t step);

  std::int64_t batch;
  torch::Tensor vectors;  // [slots * batch, dim]
  torch::Tensor steps;    // [slots] int64 on the CPU: whose tails they are, -1 for none
};

/// Trains SimKGC's two encoders. Every distinct text of a step is encoded once, in one pass or,
/// if a step's texts exceed train.chunk_tokens, in micro-batches that give the same gradient.
class SimkgcLearner : public GradientLearner {
 public:
  SimkgcLearner(const SimkgcFamily& config, SimkgcModel model, TextInputs inputs, const TrainContext& context);

  Examples examples() const override { return {std::ssize(triples_)}; }
  TrainAdvice advice() const override {
    return {
        "train.chunk_tokens=16384 (the same result in less memory), a smaller train.batch, or a smaller "
        "text.max_tokens",
        "a smaller optimiser.language_model_lr, or optimiser.clip=1",
        "a greater model.temperature, a greater train.batch, or a smaller rate"};
  }
  Parameters parameters() const override { return model_.parameters(); }
  std::vector<std::string> metric_names() const override { return {"temperature"}; }
  StepReport backward(std::int64_t step) override;
  void loaded() override { model_.publish(); }
  std::unique_ptr<Scorer> scorer() const override {
    return make_simkgc_scorer(model_, inputs_, /*show_progress=*/false, comm());
  }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override {
    model_.save(folder, about);
  }

 protected:
  void parameters_changed() override { model_.publish(); }
  /// Each process reads its share of a step's texts; what stands on the language model, and the loss, all have whole.
  bool in_parts(const Parameter& parameter) const override { return parameter.kind == ParameterKind::language_model; }
  NamedTensors further_state() const override;

 private:
  /// Used by the prefetching thread only, like prepare().
  std::vector<Triple> batch_of(std::int64_t step);
  SimkgcStep prepare(std::int64_t step);
  /// Which columns of a step are negatives, excluding slots with another step's tails.
  torch::Tensor negatives_of(const SimkgcStep& now, std::int64_t step) const;

  SimkgcFamily config_;
  std::uint64_t seed_;
  SimkgcModel model_;
  TextInputs inputs_;
  KnownAnswers known_;
  std::vector<Triple> triples_;  // training triples, then their inverses in the same order
  EarlierTails earlier_;
  BatchOrder order_;  // over triples_, or over their first half with both directions per step
  Prefetch<SimkgcStep> ahead_;
};

}  // namespace hasa
