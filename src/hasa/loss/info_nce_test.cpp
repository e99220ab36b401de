#include "hasa/loss/info_nce.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

AllEntitiesBatch random_batch(std::int64_t queries, std::int64_t entities, double size = 1) {
  torch::manual_seed(11);
  AllEntitiesBatch batch;
  batch.queries = (torch::randn({queries, 6}) * size).requires_grad_();
  batch.entities = torch::randn({entities, 6}).requires_grad_();
  batch.scale = torch::tensor(3.0F).requires_grad_();
  batch.positive = torch::randint(entities, {queries}, torch::kInt64);
  std::vector<std::int64_t> ids, offsets{0};
  for (std::int64_t q = 0; q < queries; ++q) {
    for (std::int64_t e = q % 3; e < entities; e += 5) ids.push_back(e);
    if (q % 2 == 0) ids.push_back(batch.positive[q].item<std::int64_t>());
    std::sort(ids.begin() + offsets.back(), ids.end());
    ids.erase(std::unique(ids.begin() + offsets.back(), ids.end()), ids.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  batch.excluded = {torch::tensor(ids, torch::kInt64), torch::tensor(offsets, torch::kInt64)};
  return batch;
}

struct Outcome {
  double loss;
  torch::Tensor queries, entities, scale;
};

Outcome outcome_of(const torch::Tensor& loss, AllEntitiesBatch& batch) {
  for (torch::Tensor* t : {&batch.queries, &batch.entities, &batch.scale}) t->mutable_grad() = torch::Tensor();
  loss.backward();
  return {loss.item<double>(), batch.queries.grad().clone(), batch.entities.grad().clone(), batch.scale.grad().clone()};
}

void expect_close(const Outcome& a, const Outcome& b) {
  EXPECT_NEAR(a.loss, b.loss, 1e-4 * std::max(1.0, std::abs(b.loss)));
  EXPECT_TRUE(torch::allclose(a.queries, b.queries, 1e-4, 1e-5));
  EXPECT_TRUE(torch::allclose(a.entities, b.entities, 1e-4, 1e-5));
  EXPECT_TRUE(torch::allclose(a.scale, b.scale, 1e-3, 1e-4));
}

TEST(InfoNceOverAll, MatchesTheDoubleReferenceInValueAndGradient) {
  AllEntitiesBatch batch = random_batch(9, 33);
  for (const double margin : {0.0, 0.3}) {
    const InfoNceConfig config{margin};
    expect_close(outcome_of(info_nce_over_all(batch, config), batch),
                 outcome_of(info_nce_over_all_reference(batch, config), batch));
  }
}

TEST(InfoNceOverAll, GivesTheSameUnderASmallWorkspace) {
  AllEntitiesBatch batch = random_batch(10, 31);
  const Outcome whole = outcome_of(info_nce_over_all(batch, {}), batch);
  expect_close(outcome_of(info_nce_over_all(batch, {}, /*workspace_bytes=*/400), batch), whole);
}

TEST(InfoNceOverAll, StaysFiniteWhenScoresReachTenThousand) {
  AllEntitiesBatch batch = random_batch(5, 17, /*size=*/3000);
  const Outcome outcome = outcome_of(info_nce_over_all(batch, {}), batch);
  EXPECT_TRUE(std::isfinite(outcome.loss));
  EXPECT_TRUE(torch::isfinite(outcome.queries).all().item<bool>());
  EXPECT_NEAR(outcome.loss, info_nce_over_all_reference(batch, {}).item<double>(), 1e-3 * outcome.loss);
}

TEST(InfoNceOverAll, IsZeroForAQueryWithoutNegatives) {
  AllEntitiesBatch batch = random_batch(1, 3);
  batch.excluded = {torch::arange(3), torch::tensor({0, 3}, torch::kInt64)};
  EXPECT_EQ(info_nce_over_all(batch, {}).item<float>(), 0.0F);
}

TEST(InfoNceOverAll, RefusesPartsThatDoNotFit) {
  AllEntitiesBatch batch = random_batch(4, 9);
  batch.positive = batch.positive.slice(0, 1);
  EXPECT_ERROR(info_nce_over_all(batch, {}), "4 queries, 3 positives, 4 rows");
}

}  // namespace
}  // namespace hasa
