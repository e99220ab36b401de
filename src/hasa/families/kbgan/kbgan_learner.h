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

/// Trains KBGAN. For each triple some random entities are drawn. In pretraining the discriminator's margin loss uses
/// the first of them, and the generator learns by cross-entropy against all of them. Then adversarial training: the
/// generator samples one of them from its softmax, the discriminator's margin loss uses that one, and the generator is
/// rewarded by the discriminator's score of it: REINFORCE with a running mean as baseline. Several processes have all
/// tables each, and a share of every step's triples.
class KbganLearner : public GradientLearner {
 public:
  /// Throws unavailable if the tables do not fit the device's memory.
  KbganLearner(const KbganFamily& config, const TrainContext& context);

  Examples examples() const override { return {std::ssize(triples_)}; }
  TrainAdvice advice() const override {
    return {"a smaller train.batch, model.candidates or model.dim", "a smaller optimiser.lr, or optimiser.clip=1", ""};
  }
  Parameters parameters() const override { return of_kind(ParameterKind::new_layer, model_.parameters()); }
  StepReport backward(std::int64_t step) override;
  /// The entities drawn for these triples in a step: [triples, candidates]. The triples' columns are on the device.
  torch::Tensor candidates(std::span<const Triple> triples, const QueryColumns& columns, std::int64_t step) const;
  /// The running mean of the reward: [].
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
  /// A step's triples and the entities drawn for them; of several processes, this one's share of both.
  struct Step {
    QueryColumns columns;
    torch::Tensor drawn;  // [own, candidates]
    RowShare share;
    std::int64_t triples = 0;  // of all processes
  };
  Step step_of(std::int64_t number);
  /// This process's part of the mean over the step's triples; the parts add up to it.
  torch::Tensor mean(const torch::Tensor& own, const Step& step) const;
  torch::Tensor margin_loss(const torch::Tensor& scores, const Step& step) const;
  torch::Tensor pretrain(const Step& step);
  torch::Tensor play(const Step& step);

  KbganFamily config_;
  std::uint64_t seed_;
  KbganModel model_;
  torch::Device device_;
  std::int64_t entities_;
  std::vector<Triple> triples_;        // training triples and their inverses
  std::optional<KnownAnswers> known_;  // of training, where candidates are filtered
  std::optional<KnownIndex> index_;    // of them
  BatchOrder order_;
  torch::Tensor rewards_;  // [2] on the device: exponentially weighted sum of rewards, and its total weight
};

}  // namespace hasa
