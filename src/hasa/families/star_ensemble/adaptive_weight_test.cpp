#include "hasa/families/star_ensemble/adaptive_weight.h"

#include <gtest/gtest.h>

namespace hasa {
namespace {

torch::Tensor row(std::initializer_list<double> values) {
  return torch::tensor(std::vector<double>(values)).view({1, -1});
}

/// Three candidates; the two best of the text run are 2 and 0.
BestScores two_best() { return BestScores::of(row({.6, .1, 1}), row({.5, 1, .2}), 2); }

TEST(AdaptiveWeight, BringsEachQuerysScoresToTheUnitRange) {
  const torch::Tensor scores = torch::tensor({-3.0, 1.0, 5.0, 7.0, 7.0, 7.0}).view({2, 3});
  EXPECT_TRUE(torch::allclose(to_unit_range(scores), torch::tensor({0.0, .5, 1.0, 0.0, 0.0, 0.0}).view({2, 3})));
}

TEST(AdaptiveWeight, LooksAtWhatBothRunsSayOfTheTextRunsBest) {
  const BestScores top = two_best();
  EXPECT_TRUE(torch::allclose(top.text, row({1, .6})));
  EXPECT_TRUE(torch::allclose(top.graph, row({.2, .5})));
  EXPECT_EQ(top.entities[0][0].item<std::int64_t>(), 2);
}

TEST(AdaptiveWeight, IsTheSigmoidWorkedOutByHand) {
  // Features |t - g| = .8, .1; t + g = 1.2, 1.1; t = 1, .6; g = .2, .5.
  const AdaptiveWeight weight{row({1, 2, 3, 4, 5, 6, 7, 8}).squeeze(0), torch::tensor(-20.0)};
  // .8 + .2 + 3.6 + 4.4 + 5 + 3.6 + 1.4 + 4 - 20 = 3, sigmoid .952574
  EXPECT_NEAR(weight.alpha(two_best())[0].item<double>(), 0.952574, 1e-6);
}

TEST(EnsembleLoss, IsTheHingeOverFalseCandidatesWorkedOutByHand) {
  // alpha = 1/2: the answer has (.6 + .5) / 2 = .55; candidate 2 has .6: max(0, .6 - .55 + .6) = .65. Candidate 0 is
  // the answer itself and does not count.
  const AdaptiveWeight half{torch::zeros({8}), torch::zeros({})};
  const EnsembleExamples examples{.top = two_best(),
                                  .negative = torch::tensor({true, false}).view({1, 2}),
                                  .text = row({.6}).squeeze(0),
                                  .graph = row({.5}).squeeze(0)};
  EXPECT_NEAR(ensemble_loss(half, examples, 0.6).item<double>(), 0.65, 1e-6);
  EXPECT_EQ(ensemble_loss(half, examples, -1).item<double>(), 0);
}

}  // namespace
}  // namespace hasa
