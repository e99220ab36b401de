#include "hasa/loss/contrastive.h"

#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/loss/contrastive_for_tests.h"
#include "hasa/ops/core/device.h"

namespace hasa::testing {
namespace {

using torch::Tensor;

/// Equal up to rounding of sums, everything in double.
void expect_same(const LossAndGradient& a, const LossAndGradient& b) {
  EXPECT_NEAR(a.loss, b.loss, 1e-12 * std::max(1.0, std::abs(b.loss)));
  EXPECT_LT(largest(a.gradient - b.gradient), 1e-12);
}

TEST(Contrastive, MatchesTheDoubleReferenceAtOddSizes) {
  for (const auto& [queries, columns] : {std::pair{1, 2}, {2, 1}, {3, 5}, {31, 33}, {33, 129}}) {
    for (const bool multiset : {false, true}) {
      ContrastiveBatch batch = random_contrastive_batch(queries, columns, /*size=*/2);
      if (multiset) batch.multiplicity = random_multiplicity(columns);
      for (const auto& [name, config] : all_contrastive()) {
        SCOPED_TRACE(name);
        const ContrastiveLoss ours = contrastive_loss(batch, config), plain = contrastive_loss_reference(batch, config);
        EXPECT_NEAR(ours.loss.item<double>(), plain.loss.item<double>(), 1e-12 * columns);
        EXPECT_EQ(ours.floored.item<double>(), plain.floored.item<double>());
      }
    }
  }
}

TEST(Contrastive, InFloat32IsNearTheReference) {
  const ContrastiveBatch batch = random_contrastive_batch(33, 129, /*size=*/4, torch::kFloat32);
  for (const auto& [name, config] : all_contrastive()) {
    SCOPED_TRACE(name);
    const ContrastiveLoss ours = contrastive_loss(batch, config);
    EXPECT_EQ(ours.loss.scalar_type(), torch::kFloat32);
    // Next to the floor log(1 - x) magnifies the rounding of x by at most 1 / floor.
    EXPECT_NEAR(ours.loss.item<double>(), contrastive_loss_reference(batch, config).loss.item<double>(), 2e-5);
  }
}

TEST(Contrastive, TakesScoresThatAreNotContiguous) {
  ContrastiveBatch batch = random_contrastive_batch(7, 9);
  const LossAndGradient straight = loss_and_gradient(batch, kHasa);
  batch.scores = batch.scores.t().contiguous().t();
  batch.negative = batch.negative.t().contiguous().t();
  expect_same(loss_and_gradient(batch, kHasa), straight);
}

TEST(Contrastive, HardWithBetaZeroIsSimpleToTheLastBit) {
  const ContrastiveBatch batch = random_contrastive_batch(17, 41, /*size=*/5, torch::kFloat32);
  ContrastiveConfig config = kHard;
  config.beta = 0;
  const LossAndGradient hard = loss_and_gradient(batch, config), simple = loss_and_gradient(batch, kSimple);
  EXPECT_EQ(hard.loss, simple.loss);
  EXPECT_TRUE(torch::equal(hard.gradient, simple.gradient));
}

TEST(Contrastive, HasaWithTauZeroIsHardToTheLastBit) {
  ContrastiveBatch batch = random_contrastive_batch(17, 41, /*size=*/5, torch::kFloat32);
  ContrastiveConfig config = kHasa;
  config.tau = 0;
  const LossAndGradient hasa = loss_and_gradient(batch, config), hard = loss_and_gradient(batch, kHard);
  EXPECT_EQ(hasa.loss, hard.loss);
  EXPECT_TRUE(torch::equal(hasa.gradient, hard.gradient));
  batch.neighbours = Tensor();
  EXPECT_EQ(loss_and_gradient(batch, config).loss, hard.loss);
}

TEST(Contrastive, HasaApproachesHardAsTauShrinks) {
  const ContrastiveBatch batch = random_contrastive_batch(9, 21);
  const double hard = contrastive_loss(batch, kHard).loss.item<double>();
  ContrastiveConfig config = kHasa;
  config.tau = 1e-9;
  EXPECT_NEAR(contrastive_loss(batch, config).loss.item<double>(), hard, 1e-7);
}

TEST(Contrastive, ThePapersListingWithTauZeroIsSimpleWhateverBeta) {
  const ContrastiveBatch batch = random_contrastive_batch(9, 21);
  ContrastiveConfig config = kHasa;
  config.paper_listing = true;
  config.tau = 0;
  expect_same(loss_and_gradient(batch, config), loss_and_gradient(batch, kSimple));
}

TEST(Contrastive, SimpleIsTheCrossEntropyOverTheColumnsLeft) {
  ContrastiveBatch batch = random_contrastive_batch(9, 21);
  const Tensor at = batch.positive.unsqueeze(1);
  Tensor logits = batch.scores.scatter_add(1, at, -batch.margin.expand({9, 1}));
  logits = logits.masked_fill(batch.negative.scatter(1, at, 1).logical_not(), -1e300);
  const Tensor expected = torch::cross_entropy_loss(logits, batch.positive);
  EXPECT_NEAR(contrastive_loss(batch, kSimple).loss.item<double>(), expected.item<double>(), 1e-13);
}

TEST(Contrastive, AMultiplicityEqualsSoManyEqualColumns) {
  ContrastiveBatch batch = random_contrastive_batch(6, 11);
  batch.multiplicity = random_multiplicity(11);
  const Tensor times = batch.multiplicity.to(torch::kInt64), first = times.cumsum(0) - times;
  ContrastiveBatch copies = batch;
  copies.multiplicity = Tensor();
  copies.negative = batch.negative.repeat_interleave(times, 1);
  copies.positive = first.index_select(0, batch.positive);
  copies.neighbours = torch::where(batch.neighbours < 0, -1, first.take(batch.neighbours.clamp_min(0)));
  for (const auto& [name, config] : all_contrastive()) {
    SCOPED_TRACE(name);
    const Tensor scores = batch.scores.clone().requires_grad_();
    copies.scores = scores.repeat_interleave(times, 1);
    const ContrastiveLoss result = contrastive_loss(copies, config);
    result.loss.backward();
    expect_same(loss_and_gradient(batch, config), {result.loss.item<double>(), 0, scores.grad()});
  }
}

TEST(Contrastive, BoundsTheInformationByTheLossOfTheTailsAlone) {
  ContrastiveBatch batch = random_contrastive_batch(9, 21);
  batch.multiplicity = random_multiplicity(21);
  for (const auto& [name, config] : all_contrastive()) {
    SCOPED_TRACE(name);
    const Tensor expected = contrastive_loss_reference(batch, config).information;
    EXPECT_NEAR(contrastive_loss(batch, config).information.item<double>(), expected.item<double>(), 1e-12);
  }
  // Scores that say nothing bound it by nothing: the loss is then log(1 + K), margin apart.
  batch.scores.zero_();
  batch.margin.zero_();
  EXPECT_NEAR(contrastive_loss(batch, kHard).information.item<double>(), 0, 1e-12);
}

TEST(Contrastive, AHeadWithoutNeighboursTakesTauZero) {
  ContrastiveBatch batch = random_contrastive_batch(5, 13);
  batch.neighbours.fill_(-1);
  const LossAndGradient outcome = loss_and_gradient(batch, kHasa);
  expect_same(outcome, loss_and_gradient(batch, kHard));
  EXPECT_EQ(outcome.floored, 0);
}

TEST(Contrastive, NeighboursThatAreMissingFromPartOfARowDoNotCount) {
  ContrastiveBatch batch = random_contrastive_batch(5, 13), shorter = batch;
  shorter.neighbours = batch.neighbours.slice(1, 0, 2);
  batch.neighbours.select(1, 2).fill_(-1);
  expect_same(loss_and_gradient(batch, kHasa), loss_and_gradient(shorter, kHasa));
}

/// The tail-to-query term alone.
LossAndGradient tail_term(const ContrastiveBatch& batch, bool mask_true_queries) {
  ContrastiveConfig with = kSimple;
  with.tail_to_query = true;
  with.mask_true_queries = mask_true_queries;
  const LossAndGradient both = loss_and_gradient(batch, with), one = loss_and_gradient(batch, kSimple);
  return {both.loss - one.loss, 0, both.gradient - one.gradient};
}

TEST(Contrastive, TellsATailsQueryOnlyFromQueriesItDoesNotAnswer) {
  ContrastiveBatch batch;
  batch.scores = torch::tensor({{1.0, 0.5}, {0.2, 2.0}, {3.0, 0.1}}, torch::kFloat64);
  // Column 0 answers queries 0 and 2, column 1 answers query 1 and, by another triple, query 0.
  batch.positive = torch::tensor({0, 1, 0}, torch::kInt64);
  batch.negative = torch::tensor({{false, false}, {true, false}, {false, true}});
  batch.margin = torch::scalar_tensor(0.25, torch::kFloat64);
  const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  const auto lse = [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); };
  const double masked = softplus(0.2 - 0.75) + softplus(0.1 - 1.75) + softplus(0.2 - 2.75);
  EXPECT_NEAR(tail_term(batch, true).loss, masked / 3, 1e-14);
  const double unmasked = softplus(lse(0.2, 3) - 0.75) + softplus(lse(0.5, 0.1) - 1.75) + softplus(lse(1, 0.2) - 2.75);
  EXPECT_NEAR(tail_term(batch, false).loss, unmasked / 3, 1e-14);
  EXPECT_EQ(tail_term(batch, true).gradient[0][1].item<double>(), 0);
  EXPECT_GT(tail_term(batch, false).gradient[0][1].item<double>(), 0.01);
}

TEST(Contrastive, ReadsItsOptionsFromYaml) {
  ContrastiveConfig config;
  apply_yaml(fields_of(config), "kind: hasa\ntau: 1e-4\nbeta: 1\ntail_to_query: false\n", "loss.yaml");
  EXPECT_EQ(config.kind, ContrastiveKind::hasa);
  EXPECT_EQ(config.tau, 1e-4);
  EXPECT_FALSE(config.tail_to_query);
  EXPECT_ERROR(apply_assignment(fields_of(config), "tau=1"), "tau");
}

TEST(Contrastive, RefusesPartsThatDoNotFit) {
  const ContrastiveBatch good = random_contrastive_batch(4, 9);
  ContrastiveBatch batch = good;
  batch.positive = good.positive.slice(0, 1);
  EXPECT_ERROR(contrastive_loss(batch, kSimple), "4 queries, 3 positives");
  batch = good;
  batch.negative = good.negative.slice(1, 1);
  EXPECT_ERROR(contrastive_loss(batch, kSimple), "each of 4 x 9 scores");
  batch = good;
  batch.multiplicity = random_multiplicity(8);
  EXPECT_ERROR(contrastive_loss(batch, kSimple), "9 columns, 8 multiplicities");
  batch = good;
  batch.neighbours = Tensor();
  EXPECT_ERROR(contrastive_loss(batch, kHasa), "row of sampled neighbours for each of 4 queries");
  ContrastiveConfig config = kHasa;
  config.tau = 1;
  EXPECT_ERROR(contrastive_loss(good, config), "tau 1 in [0, 1)");
}

TEST(ContrastiveGpu, GivesTheNumbersOfTheCpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const double size : {1.0, 1e4}) {
    ContrastiveBatch cpu = random_contrastive_batch(33, 129, size, torch::kFloat32);
    cpu.multiplicity = random_multiplicity(129);
    ContrastiveBatch gpu = cpu;
    for (Tensor* part : {&gpu.scores, &gpu.negative, &gpu.positive, &gpu.margin, &gpu.multiplicity, &gpu.neighbours}) {
      *part = part->to(torch::kCUDA);
    }
    for (const auto& [name, config] : all_contrastive()) {
      SCOPED_TRACE(name);
      const LossAndGradient here = loss_and_gradient(cpu, config), there = loss_and_gradient(gpu, config);
      // Logarithms of sums in float32, taken in another order; next to the floor ten times that.
      EXPECT_NEAR(there.loss, here.loss, 2e-5 * std::max(1.0, here.loss));
      EXPECT_EQ(there.floored, here.floored);
      EXPECT_LT(largest(there.gradient - here.gradient), 1e-5);
    }
  }
}

}  // namespace
}  // namespace hasa::testing
