#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hasa/families/kbgan/kbgan_family.h"
#include "hasa/families/kbgan/kbgan_model.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query_columns.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"

namespace hasa {

/// Trains KBGAN. For each triple some entities are drawn at random. In the first epochs the discriminator learns to put
/// the answer nearer than the first of them by a margin, the generator to tell the answer from all of them. Then the
/// game: the generator chooses one of them by its softmax, the discriminator learns its margin against that one, and
/// the generator is rewarded by how near the discriminator finds it: REINFORCE, the reward less its running mean.
class KbganLearner : public GradientLearner {
 public:
  /// Throws unavailable when the tables do not fit the device's memory.
  KbganLearner(const KbganFamily& config, const TrainContext& context);

  Examples examples() const override { return {std::ssize(triples_)}; }
  TrainAdvice advice() const override {
    return {"a smaller train.batch, model.candidates or model.dim", "a smaller optimiser.lr, or optimiser.clip=1", ""};
  }
  Parameters parameters() const override { return of_kind(ParameterKind::new_layer, model_.parameters()); }
  StepReport backward(std::int64_t step) override;
  /// What is drawn for these triples in a step: [triples, candidates]. Their columns are on the device already.
  torch::Tensor candidates(std::span<const Triple> triples, const QueryColumns& columns, std::int64_t step) const;
  /// What the generator's choices came to lately, on average: [].
  torch::Tensor mean_reward() const { return rewards_[0] / rewards_[1]; }
  void loaded() override {}
  std::unique_ptr<Scorer> scorer() const override { return model_.scorer(); }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override;

 protected:
  void parameters_changed() override { model_.constrain(); }
  NamedTensors further_state() const override { return {{"rewards", rewards_}}; }

 private:
  /// The discriminator's scores of answers and of negatives [n, 1]: [n, 2].
  torch::Tensor answer_and_negative(const QueryColumns& batch, const torch::Tensor& negatives) const;
  torch::Tensor margin_loss(const torch::Tensor& scores) const;
  torch::Tensor pretrain(const QueryColumns& batch, const torch::Tensor& drawn) const;
  torch::Tensor play(const QueryColumns& batch, const torch::Tensor& drawn);

  KbganFamily config_;
  std::uint64_t seed_;
  KbganModel model_;
  torch::Device device_;
  std::int64_t entities_;
  std::vector<Triple> triples_;        // training triples and their inverses
  std::optional<KnownAnswers> known_;  // of training, where candidates are filtered
  std::optional<KnownIndex> index_;    // of them
  BatchOrder order_;
  torch::Tensor rewards_;  // [2] on the device: those of all steps, later ones counting more, and how much they count
};

}  // namespace hasa
