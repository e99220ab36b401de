#include "hasa/train/weight_average.h"

#include "hasa/base/testing.h"
#include "hasa/train/gradient_learner.h"

namespace hasa {
namespace {

Parameters one(const torch::Tensor& w) { return {{"w", w, ParameterKind::new_layer}}; }

TEST(WeightAverage, IsThePlainMeanUntilTheDecayMakesItExponential) {
  // With a decay of 1/2: 4; (4 + 8) / 2 = 6; then half of the old and half of the new: (6 + 2) / 2 = 4, (4 + 10) / 2 = 7.
  const torch::Tensor w = torch::zeros({1});
  WeightAverage average(one(w), 0.5);
  const double weights[] = {4, 8, 2, 10}, expected[] = {4, 6, 4, 7};
  for (int i = 0; i < 4; ++i) {
    w.fill_(weights[i]);
    average.add();
    EXPECT_FLOAT_EQ(average.state()[0].tensor.item<float>(), static_cast<float>(expected[i])) << "step " << i + 1;
  }
}

TEST(WeightAverage, WithADecayOfOneIsTheMeanOfAllSteps) {
  const torch::Tensor w = torch::zeros({2});
  WeightAverage average(one(w), 1);
  for (int i = 1; i <= 5; ++i) {
    w.copy_(torch::tensor({1.0F * i, 10.0F * i}));
    average.add();
  }
  EXPECT_TRUE(torch::allclose(average.state()[0].tensor, torch::tensor({3.0F, 30.0F})));
}

TEST(WeightAverage, GivesTheWeightsBackToTheBitAlsoWhereTheyAreBfloat16) {
  torch::manual_seed(1);
  const torch::Tensor w = torch::randn({50}).to(torch::kBFloat16);
  WeightAverage average(one(w), 0.9);
  for (int i = 0; i < 3; ++i) {
    w.copy_(torch::randn({50}));
    average.add();
  }
  const torch::Tensor before = w.clone(), mean = average.state()[0].tensor.clone();
  average.exchange();
  EXPECT_TRUE(torch::equal(w, mean.to(torch::kBFloat16)));
  average.exchange();
  EXPECT_TRUE(torch::equal(w, before));
  EXPECT_TRUE(torch::equal(average.state()[0].tensor, mean));
}

TEST(WeightAverage, BeforeTheFirstStepLeavesTheWeights) {
  const torch::Tensor w = torch::ones({3});
  WeightAverage average(one(w), 0.9);
  average.exchange();
  EXPECT_TRUE(torch::equal(w, torch::ones({3})));
}

TEST(WeightAverage, LeavesOutLayersOfALanguageModelThatAreNotTrained) {
  const torch::Tensor trained = torch::ones({2}).requires_grad_(), fixed = torch::ones({2});
  const WeightAverage average(
      {{"a", trained, ParameterKind::language_model}, {"b", fixed, ParameterKind::language_model}}, 0.9);
  ASSERT_EQ(average.state().size(), 2);  // a and the number of steps
  EXPECT_EQ(average.state()[0].name, "a");
}

/// One weight, whose loss is half its square: with plain numbers AdamW's steps of .1 take it from 1 towards 0.
class OneWeight : public GradientLearner {
 public:
  explicit OneWeight(double average) : GradientLearner(config_of(average)) {}

  Examples examples() const override { return {1}; }
  TrainAdvice advice() const override { return {}; }
  Parameters parameters() const override { return one(weight); }
  StepReport backward(std::int64_t) override {
    const torch::Tensor loss = weight.square().sum() / 2;
    loss.backward();
    return {.loss = loss.detach(), .gradient_norm = {}, .metrics = {}};
  }
  void loaded() override {}
  std::unique_ptr<Scorer> scorer() const override { return nullptr; }
  void save_model(const std::filesystem::path&, const std::map<std::string, std::string>&) const override {}

  torch::Tensor weight = torch::ones({1}).requires_grad_();

 private:
  static OptimiserConfig config_of(double average) {
    OptimiserConfig config;
    config.lr = 0.1;
    config.weight_decay = 0;
    config.average = average;
    return config;
  }
};

TEST(AveragedLearner, TakesTheSameStepsAsOneThatKeepsNoAverage) {
  OneWeight plain(0), averaged(0.9);
  for (int i = 0; i < 5; ++i) {
    plain.step(i, 1);
    averaged.step(i, 1);
    averaged.exchange_average();  // as a validation after each step would
    averaged.exchange_average();
  }
  EXPECT_TRUE(torch::equal(plain.weight, averaged.weight));
  EXPECT_EQ(plain.state().size() + 2, averaged.state().size());
}

TEST(AveragedLearner, ShowsTheMeanOfItsStepsWhileExchanged) {
  OneWeight learner(1);
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    learner.step(i, 1);
    sum += learner.weight.item<double>();
  }
  const double last = learner.weight.item<double>();
  learner.exchange_average();
  EXPECT_NEAR(learner.weight.item<double>(), sum / 4, 1e-6);
  learner.exchange_average();
  EXPECT_EQ(learner.weight.item<double>(), last);
}

TEST(AveragedLearner, WithoutAnAverageHasNothingToExchange) {
  OneWeight learner(0);
  learner.step(0, 1);
  const torch::Tensor before = learner.weight.detach().clone();
  learner.exchange_average();
  EXPECT_TRUE(torch::equal(learner.weight, before));
}

}  // namespace
}  // namespace hasa
