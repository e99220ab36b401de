#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/loss/contrastive.h"
#include "hasa/loss/contrastive_for_tests.h"

namespace hasa::testing {
namespace {

using torch::Tensor;

/// Central differences of the reference, the weights held where they are unless gradients go through them.
Tensor finite_differences(ContrastiveBatch batch, const ContrastiveConfig& config) {
  constexpr double kStep = 1e-5;
  const Tensor here = batch.scores, weights_at = config.weight_gradient ? Tensor() : here;
  const auto loss_at = [&](std::int64_t i, double step) {
    batch.scores = here.clone();
    batch.scores.data_ptr<double>()[i] += step;
    return contrastive_loss_reference(batch, config, weights_at).loss.item<double>();
  };
  Tensor gradient = torch::empty_like(here);
  for (std::int64_t i = 0; i < here.numel(); ++i) {
    gradient.data_ptr<double>()[i] = (loss_at(i, kStep) - loss_at(i, -kStep)) / (2 * kStep);
  }
  return gradient;
}

TEST(ContrastiveGradient, MatchesFiniteDifferencesForEveryLossAndOption) {
  double floored = 0;
  for (const bool multiset : {false, true}) {
    ContrastiveBatch batch = random_contrastive_batch(5, 9);
    if (multiset) batch.multiplicity = random_multiplicity(9);
    for (const auto& [name, config] : all_contrastive()) {
      SCOPED_TRACE(name);
      // Differences are good to step^2 times the third derivative, and to 1e-16 / step.
      const LossAndGradient ours = loss_and_gradient(batch, config);
      EXPECT_LT(largest(ours.gradient - finite_differences(batch, config)), 2e-9);
      floored = std::max(floored, ours.floored);
    }
  }
  EXPECT_GT(floored, 0) << "no query was at the floor";
  EXPECT_LT(floored, 1) << "all queries were at the floor";
}

TEST(ContrastiveGradient, DiffersWhereItGoesThroughTheWeights) {
  const ContrastiveBatch batch = random_contrastive_batch(5, 9);
  ContrastiveConfig config{.kind = ContrastiveKind::hard, .beta = 1};
  const Tensor frozen = loss_and_gradient(batch, config).gradient;
  config.weight_gradient = true;
  EXPECT_GT(largest(loss_and_gradient(batch, config).gradient - frozen), 1e-3);
}

TEST(ContrastiveGradient, SumsToZeroOverTheCandidatesOfAQuery) {
  const ContrastiveBatch batch = random_contrastive_batch(7, 15);
  for (const auto& [name, config] : all_contrastive()) {
    SCOPED_TRACE(name);
    const Tensor gradient = loss_and_gradient(batch, config).gradient;
    EXPECT_LT(largest(config.tail_to_query ? gradient.sum() : gradient.sum(1)), 1e-14);
  }
}

TEST(ContrastiveGradient, ReachesOnlyAnswerNegativesAndNeighbours) {
  const ContrastiveBatch batch = random_contrastive_batch(7, 15);
  Tensor seen = batch.negative.scatter(1, batch.positive.unsqueeze(1), 1);
  const ContrastiveConfig hard{.kind = ContrastiveKind::hard, .tail_to_query = false, .beta = 1};
  EXPECT_TRUE(torch::equal(loss_and_gradient(batch, hard).gradient != 0, seen));
  ContrastiveConfig hasa = hard;
  hasa.kind = ContrastiveKind::hasa;
  hasa.tau = 0.01;
  seen = seen.scatter(1, batch.neighbours.clamp_min(0), 1);
  seen[1] = batch.negative[1];  // has no neighbours
  seen[1][batch.positive[1].item<std::int64_t>()] = true;
  EXPECT_TRUE(torch::equal(loss_and_gradient(batch, hasa).gradient != 0, seen));
}

TEST(ContrastiveGradient, GivesTheMarginNone) {
  ContrastiveBatch batch = random_contrastive_batch(3, 5);
  batch.scores.requires_grad_();
  batch.margin.requires_grad_();
  contrastive_loss(batch, {}).loss.backward();
  EXPECT_FALSE(batch.margin.grad().defined());
}

/// One query, its answer and its negatives, as embeddings.
struct Embedded {
  Tensor query;      // [dim]
  Tensor answer;     // [dim]
  Tensor negatives;  // [count, dim]
};

Embedded random_embedded(std::int64_t count, std::int64_t dim) {
  const auto options = torch::TensorOptions(torch::kFloat64).requires_grad(true);
  return {torch::randn({dim}, options), torch::randn({dim}, options), torch::randn({count, dim}, options)};
}

/// Simple InfoNCE of the query; gradients are then at the parts.
void backward(const Embedded& x) {
  const std::int64_t count = x.negatives.size(0);
  ContrastiveBatch batch;
  batch.scores = torch::cat({x.answer.unsqueeze(0), x.negatives}).mv(x.query).unsqueeze(0);
  batch.negative = torch::ones({1, count + 1}, torch::kBool);
  batch.negative[0][0] = false;
  batch.positive = torch::zeros({1}, torch::kInt64);
  batch.margin = torch::zeros({}, torch::kFloat64);
  contrastive_loss(batch, {.kind = ContrastiveKind::simple, .tail_to_query = false}).loss.backward();
}

/// The paper's Remark 1. With w_j the softmax probability of negative j among answer and negatives:
/// dL/de_j = w_j e_hr and dL/de_t = -(sum_j w_j) e_hr, so they are antiparallel and sum_j dL/de_j = -dL/de_t.
TEST(Remark1, HoldsOnRandomInputs) {
  torch::manual_seed(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Embedded x = random_embedded(/*count=*/1 + trial % 9, /*dim=*/1 + trial % 7);
    backward(x);
    const Tensor scores = torch::cat({x.answer.unsqueeze(0), x.negatives}).mv(x.query).detach();
    const Tensor w = torch::softmax(scores, 0).slice(0, 1);  // [count]
    EXPECT_LT(largest(x.negatives.grad() - torch::outer(w, x.query.detach())), 1e-14);
    EXPECT_LT(largest(x.answer.grad() + w.sum() * x.query.detach()), 1e-14);
    EXPECT_LT(largest(x.negatives.grad().sum(0) + x.answer.grad()), 1e-14);
    const Tensor along = x.negatives.grad().mv(x.answer.grad());
    const Tensor lengths = x.negatives.grad().norm(2, 1) * x.answer.grad().norm();
    EXPECT_LT(largest(along / lengths + 1), 1e-12) << "cosine -1";
  }
}

/// The paper prints dL/de_j - dL/de_t = e_hr. The left side is (w_j + sum_k w_k) e_hr, and with two negatives of
/// different weight the factor cannot be 1 for both.
TEST(Remark1, AsPrintedInThePaperFails) {
  torch::manual_seed(6);
  for (int trial = 0; trial < 50; ++trial) {
    const Embedded x = random_embedded(/*count=*/2 + trial % 8, /*dim=*/3);
    backward(x);
    const Tensor printed = x.negatives.grad() - x.answer.grad() - x.query.detach();  // [count, dim]
    EXPECT_GT(largest(printed) / x.query.norm().item<double>(), 1e-3);
  }
}

}  // namespace
}  // namespace hasa::testing
