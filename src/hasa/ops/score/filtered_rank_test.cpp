#include "hasa/ops/score/filtered_rank.h"

#include <limits>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

RaggedIds random_known(std::int64_t queries, std::int64_t entities) {
  std::vector<std::int64_t> ids, offsets{0};
  const torch::Tensor flags = torch::rand({queries, entities}) < 0.2;
  for (std::int64_t q = 0; q < queries; ++q) {
    for (std::int64_t e = 0; e < entities; ++e) {
      if (flags[q][e].item<bool>()) ids.push_back(e);
    }
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  return {torch::tensor(ids, torch::kInt64), torch::tensor(offsets, torch::kInt64)};
}

RaggedIds nothing_known(std::int64_t queries) {
  return {torch::empty({0}, torch::kInt64), torch::zeros({queries + 1}, torch::kInt64)};
}

void expect_same(const RankCounts& a, const RankCounts& b) {
  EXPECT_TRUE(torch::equal(a.better.cpu(), b.better));
  EXPECT_TRUE(torch::equal(a.equal.cpu(), b.equal));
  EXPECT_TRUE(torch::equal(a.known_better.cpu(), b.known_better));
  EXPECT_TRUE(torch::equal(a.known_equal.cpu(), b.known_equal));
}

void expect_matches_reference(const torch::Device& device) {
  torch::manual_seed(3);
  for (const std::int64_t n : {1, 31, 33, 1025}) {
    const std::int64_t queries = 9;
    // Four distinct values over up to a thousand entities: full of ties.
    const torch::Tensor scores = torch::randint(4, {queries, n}).to(torch::kFloat32);
    const torch::Tensor targets = torch::randint(n, {queries}, torch::kInt64);
    for (const RaggedIds& known : {random_known(queries, n), nothing_known(queries)}) {
      expect_same(rank_from_scores(scores.to(device), targets.to(device), known.to(device).ranges()),
                  rank_from_scores_reference(scores, targets, known.ranges()));
    }
  }
}

TEST(FilteredRank, MatchesTheReferenceOnScoresFullOfTies) { expect_matches_reference(torch::kCPU); }

TEST(FilteredRankGpu, MatchesTheReferenceOnScoresFullOfTies) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_matches_reference(torch::kCUDA);
}

TEST(FilteredRank, CountsInfinitiesLikeOtherScores) {
  const float inf = std::numeric_limits<float>::infinity();
  const torch::Tensor scores = torch::tensor({inf, inf, 1.0F, -inf}).unsqueeze(0);
  const RankCounts counts = rank_from_scores(scores, torch::tensor({1}, torch::kInt64), nothing_known(1).ranges());
  EXPECT_EQ(counts.better[0].item<std::int64_t>(), 0);
  EXPECT_EQ(counts.equal[0].item<std::int64_t>(), 1);
}

TEST(FilteredRank, RanksNothingWithoutQueries) {
  const RankCounts counts =
      rank_from_scores(torch::empty({0, 5}), torch::empty({0}, torch::kInt64), nothing_known(0).ranges());
  EXPECT_EQ(counts.better.size(0), 0);
}

void expect_refusals(const torch::Device& device) {
  const auto ids = [&](std::int64_t id) { return torch::tensor({id}, torch::kInt64).to(device); };
  const auto known = [&](std::int64_t id) {
    return RaggedIds{ids(id), torch::tensor({0, 1}, torch::kInt64).to(device)}.ranges();
  };
  const torch::Tensor scores = torch::zeros({1, 3}, device);
  EXPECT_ERROR(rank_from_scores(scores, ids(3), known(0)), "not among 3 entities");
  EXPECT_ERROR(rank_from_scores(scores, ids(-1), known(0)), "not among 3 entities");
  EXPECT_ERROR(rank_from_scores(scores, ids(0), known(3)), "not among 3 entities");
  EXPECT_ERROR(rank_from_scores(scores / 0, ids(1), known(0)), "the model has diverged");
  // One rival wherever it stands, a known answer too.
  for (const std::int64_t n : {2, 31, 33, 1025}) {
    for (const std::int64_t rival : {std::int64_t{1}, n / 2 + 1, n - 1}) {
      torch::Tensor row = torch::zeros({1, n}, device);
      row[0][rival % n] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_ERROR(rank_from_scores(row, ids(0), known(0)), "a score is not a number: the model has diverged");
      EXPECT_ERROR(rank_from_scores(row, ids(0), known(n - 1)), "the model has diverged");
    }
  }
}

TEST(FilteredRank, RefusesIdsThatAreNoEntitiesAndScoresThatAreNoNumbers) { expect_refusals(torch::kCPU); }

TEST(FilteredRankGpu, RefusesIdsThatAreNoEntitiesAndScoresThatAreNoNumbers) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_refusals(torch::kCUDA);
}

}  // namespace
}  // namespace hasa
