#include "hasa/ops/score/top_entities.h"

#include <limits>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/top_entities_kernels.h"

namespace hasa {
namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 30;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

/// Each entity with the given probability, in falling order: excluded ids need not be sorted.
RaggedIds random_excluded(std::int64_t queries, std::int64_t entities, double share) {
  std::vector<std::int64_t> ids, offsets{0};
  const torch::Tensor flags = torch::rand({queries, entities}) < share;
  for (std::int64_t q = 0; q < queries; ++q) {
    for (std::int64_t e = entities - 1; e >= 0; --e) {
      if (flags[q][e].item<bool>()) ids.push_back(e);
    }
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  return {torch::tensor(ids, torch::kInt64), torch::tensor(offsets, torch::kInt64)};
}

RaggedIds nothing_excluded(std::int64_t queries) {
  return {torch::empty({0}, torch::kInt64), torch::zeros({queries + 1}, torch::kInt64)};
}

/// Small whole numbers: every product is exact however it is summed, and ties are everywhere.
torch::Tensor whole_numbers(std::int64_t rows, std::int64_t columns) {
  return torch::randint(-1, 2, {rows, columns}).to(torch::kFloat32);
}

std::vector<std::int64_t> row_of(const torch::Tensor& best, std::int64_t q = 0) {
  const torch::Tensor row = best[q].cpu().contiguous();
  return {row.const_data_ptr<std::int64_t>(), row.const_data_ptr<std::int64_t>() + row.size(0)};
}

/// For the given scores: entities of width 1 under a query of 1.
torch::Tensor top_of(const std::vector<float>& scores, const RaggedIds& excluded, std::int64_t k,
                     torch::Device device = torch::kCPU, std::int64_t workspace = kLarge) {
  const torch::Tensor entities = torch::tensor(scores).unsqueeze(1);
  return top_entities(torch::ones({1, 1}).to(device), entities.to(device), excluded.to(device), k, workspace);
}

void expect_matches_reference(torch::Device device, torch::ScalarType type) {
  torch::manual_seed(3);
  for (const std::int64_t n : {0, 1, 31, 33, 1025}) {
    for (const std::int64_t num_queries : {0, 1, 33}) {
      const torch::Tensor queries = whole_numbers(num_queries, 4), entities = whole_numbers(n, 4);
      for (const double share : {0.0, 0.3, 1.0}) {
        const RaggedIds excluded = random_excluded(num_queries, n, share);
        for (const std::int64_t k : {0, 1, 3, 40}) {
          const torch::Tensor best = top_entities(queries.to(device, type), entities.to(device, type),
                                                  excluded.to(device), k, /*workspace_bytes=*/1 << 14);
          EXPECT_TRUE(torch::equal(best.cpu(), top_entities_reference(queries, entities, excluded, k)))
              << n << " entities, " << num_queries << " queries, k = " << k << ", excluded " << share;
        }
      }
    }
  }
}

TEST(TopEntities, MatchTheReferenceOnScoresFullOfTies) { expect_matches_reference(torch::kCPU, torch::kFloat32); }

TEST(TopEntities, MatchTheReferenceInBfloat16) { expect_matches_reference(torch::kCPU, torch::kBFloat16); }

TEST(TopEntitiesGpu, MatchTheReferenceOnScoresFullOfTies) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_matches_reference(torch::kCUDA, torch::kFloat32);
}

TEST(TopEntitiesGpu, MatchTheReferenceInBfloat16) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_matches_reference(torch::kCUDA, torch::kBFloat16);
}

TEST(TopEntities, MatchTheReferenceOnScoresWithoutTies) {
  // 500 terms round to about 1e-6 of a score; two of the best 3 of 2,000 lie that close once in thousands of rows.
  torch::manual_seed(8);
  const torch::Tensor queries = torch::randn({64, 500}), entities = torch::randn({2000, 500});
  const RaggedIds excluded = random_excluded(64, 2000, 0.1);
  EXPECT_TRUE(torch::equal(top_entities(queries, entities, excluded, 3, kLarge),
                           top_entities_reference(queries, entities, excluded, 3)));
}

TEST(TopEntities, FromTensorOperationsAreThoseOfTheCpuKernel) {
  torch::manual_seed(5);
  for (const std::int64_t n : {1, 31, 33, 1025}) {
    const std::int64_t rows = 7, first = 10;
    torch::Tensor scores = torch::randint(-2, 3, {rows, n}).to(torch::kFloat32);
    for (const float special : {kInfinity, -kInfinity, kNotANumber, -kNotANumber, -0.0F}) {
      scores.masked_fill_(torch::rand({rows, n}) < 0.05, special);
    }
    // Some of the excluded lie before the first column, some after the last.
    const RaggedIds ids = random_excluded(rows, n + 20, 0.2);
    const kernels::ExcludedCells cells{ids.row_of_each(), ids.ids};
    for (const std::int64_t k : {1, 3, 2000}) {
      const torch::Tensor composed = kernels::top_keys_composed(scores.clone(), first, cells, k);
      EXPECT_TRUE(torch::equal(kernels::top_keys_cpu(scores.clone(), first, cells, k), composed)) << n << " " << k;
    }
  }
}

void expect_same_under_any_workspace(torch::Device device) {
  torch::manual_seed(4);
  const torch::Tensor queries = whole_numbers(5, 3).to(device), entities = whole_numbers(201, 3).to(device);
  const RaggedIds excluded = random_excluded(5, 201, 0.5).to(device);
  for (const std::int64_t k : {1, 7, 150}) {
    const torch::Tensor best = top_entities(queries, entities, excluded, k, kLarge);
    // One score, 16 of the CPU's scores, a row and some more, two rows.
    for (const std::int64_t workspace : {0, 64, 1000, 2000}) {
      EXPECT_TRUE(torch::equal(top_entities(queries, entities, excluded, k, workspace), best)) << workspace;
    }
  }
}

TEST(TopEntities, AreTheSameUnderAnyWorkspace) { expect_same_under_any_workspace(torch::kCPU); }

TEST(TopEntitiesGpu, AreTheSameUnderAnyWorkspace) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_same_under_any_workspace(torch::kCUDA);
}

void expect_infinities_in_order(torch::Device device) {
  const std::vector<float> scores = {-kInfinity, 1, kInfinity, kNotANumber, -0.0F, 0.0F, kInfinity, -kInfinity};
  EXPECT_EQ(row_of(top_of(scores, nothing_excluded(1), 8, device)),
            (std::vector<std::int64_t>{2, 6, 1, 4, 5, 0, 7, -1}));
}

TEST(TopEntities, AcceptInfinitiesAndSkipNaN) { expect_infinities_in_order(torch::kCPU); }

TEST(TopEntitiesGpu, AcceptInfinitiesAndSkipNaN) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_infinities_in_order(torch::kCUDA);
}

TEST(TopEntities, LeaveTheExcludedOutEvenWhereAllOthersAreMinusInfinity) {
  const RaggedIds excluded{torch::tensor({1}, torch::kInt64), torch::tensor({0, 1}, torch::kInt64)};
  EXPECT_EQ(row_of(top_of({-kInfinity, 5, -kInfinity}, excluded, 3)), (std::vector<std::int64_t>{0, 2, -1}));
}

TEST(TopEntities, AreTheFirstOnesWhenAllAreEqual) {
  EXPECT_EQ(row_of(top_of(std::vector<float>(3000, 2.0F), nothing_excluded(1), 4)),
            (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(TopEntities, AreReadFromTensorsThatAreNotContiguous) {
  torch::manual_seed(6);
  const torch::Tensor queries = whole_numbers(12, 33).t(), entities = whole_numbers(12, 202).slice(1, 0, 202, 2).t();
  const RaggedIds excluded = random_excluded(33, 101, 0.2);
  const RaggedIds strided{torch::stack({excluded.ids, excluded.ids}, 1).select(1, 0),
                          torch::stack({excluded.offsets, excluded.offsets}, 1).select(1, 0)};
  EXPECT_TRUE(torch::equal(top_entities(queries, entities, strided, 5, kLarge),
                           top_entities_reference(queries, entities, excluded, 5)));
}

TEST(TopEntities, AreFoundWithoutAGradient) {
  const torch::Tensor queries = torch::randn({2, 3}).requires_grad_(), entities = torch::randn({4, 3}).requires_grad_();
  EXPECT_FALSE(top_entities(queries, entities, nothing_excluded(2), 2, kLarge).requires_grad());
}

TEST(TopEntities, LeaveQueriesAndEntitiesAsTheyWere) {
  const torch::Tensor queries = torch::randn({2, 3}), entities = torch::randn({4, 3});
  const torch::Tensor queries_before = queries.clone(), entities_before = entities.clone();
  top_entities(queries, entities, random_excluded(2, 4, 0.5), 2, kLarge);
  EXPECT_TRUE(torch::equal(queries, queries_before) && torch::equal(entities, entities_before));
}

TEST(TopEntities, RefuseWhatDoesNotFit) {
  const torch::Tensor queries = torch::randn({1, 3}), entities = torch::randn({4, 3});
  const RaggedIds outside{torch::tensor({4}, torch::kInt64), torch::tensor({0, 1}, torch::kInt64)};
  EXPECT_ERROR(top_entities(queries, entities, outside, 1, kLarge), "an excluded id is not among 4 entities");
  EXPECT_ERROR(top_entities(queries, entities, nothing_excluded(2), 1, kLarge), "1 queries and 2 rows of excluded ids");
  const RaggedIds longer{torch::tensor({2, 3}, torch::kInt64), torch::tensor({0, 1}, torch::kInt64)};
  EXPECT_ERROR(top_entities(queries, entities, longer, 1, kLarge), "offsets that end elsewhere");
  EXPECT_ERROR(top_entities(queries, torch::randn({4, 2}), nothing_excluded(1), 1, kLarge), "of different width");
  EXPECT_ERROR(top_entities(queries, entities.to(torch::kFloat64), nothing_excluded(1), 1, kLarge), "both of float32");
}

}  // namespace
}  // namespace hasa
