#include "hasa/ops/table/draw_candidates.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

TEST(DrawCandidates, PutTheAnswerFirstAndDrawTheOthersUniformly) {
  const torch::Tensor answers = torch::tensor({3, 1, 4}, torch::kInt64);
  const torch::Tensor drawn = draw_candidates(answers, 20000, 5, 7);
  EXPECT_TRUE(torch::equal(drawn.select(1, 0).to(torch::kInt64), answers));
  for (const std::int64_t row : {0, 1, 2}) {
    const torch::Tensor counts = drawn[row].slice(0, 1).bincount({}, 5).to(torch::kFloat64);
    // 4,000 of each expected with a standard deviation of 57.
    EXPECT_LT((counts - 4000).abs().max().item<double>(), 300);
  }
}

TEST(DrawCandidates, DependOnTheSeedAlone) {
  const torch::Tensor answers = torch::arange(33);
  EXPECT_TRUE(torch::equal(draw_candidates(answers, 31, 1000, 5), draw_candidates(answers, 31, 1000, 5)));
  EXPECT_FALSE(torch::equal(draw_candidates(answers, 31, 1000, 5), draw_candidates(answers, 31, 1000, 6)));
}

TEST(DrawCandidates, LeaveOutKnownAnswersUnlessNearlyAllAreKnown) {
  IdRanges known{torch::tensor({0, 2, 3, 0, 1, 2, 3}, torch::kInt32), torch::tensor({0, 3}, torch::kInt64),
                 torch::tensor({3, 7}, torch::kInt64)};
  const torch::Tensor drawn = draw_candidates(torch::tensor({2, 0}, torch::kInt64), 500, 4, 1, known);
  // Three of four are known: eight draws all fail once in ten times.
  EXPECT_GT((drawn[0] == 1).sum().item<std::int64_t>(), 400);
  EXPECT_EQ(drawn[1].size(0), 501);  // every entity is known: what was drawn stands
}

/// What ships and the reference draw the same; of a third of the queries nearly all entities are known answers.
void expect_reference(std::int64_t queries, std::int64_t n, torch::Device device) {
  const torch::Tensor answers = torch::arange(2 * queries).slice(0, 0, 2 * queries, 2).remainder(100);  // strided
  const torch::Tensor many = torch::arange(queries).remainder(3).eq(0).to(torch::kInt64);
  const IdRanges known{torch::arange(99, torch::kInt32), torch::zeros({queries}, torch::kInt64), 20 + many * 79};
  const IdRanges there{known.ids.to(device), known.begin.to(device), known.end.to(device)};
  EXPECT_TRUE(torch::equal(draw_candidates(answers.to(device), n, 100, 9, there).cpu(),
                           draw_candidates_reference(answers, n, 100, 9, known)));
  EXPECT_TRUE(torch::equal(draw_candidates(answers.to(device), n, 2000000000, 1ULL << 40).cpu(),
                           draw_candidates_reference(answers, n, 2000000000, 1ULL << 40)));
}

TEST(DrawCandidates, AreTheReferencesAtAwkwardSizes) {
  for (const std::int64_t size : {0, 1, 31, 33}) expect_reference(size, size, torch::kCPU);
  expect_reference(1025, 5, torch::kCPU);
}

TEST(DrawCandidatesGpu, AreTheReferencesAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t size : {0, 1, 31, 33}) expect_reference(size, size, torch::kCUDA);
  expect_reference(1025, 5, torch::kCUDA);
}

}  // namespace
}  // namespace hasa
