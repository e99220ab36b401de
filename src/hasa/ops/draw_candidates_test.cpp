#include "hasa/ops/draw_candidates.h"

#include "hasa/base/testing.h"
#include "hasa/ops/device.h"

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

TEST(DrawCandidatesGpu, AreTheSameAsOnTheCpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const torch::Tensor answers = torch::arange(1025);
  const IdRanges known{torch::arange(50, torch::kInt32), torch::zeros({1025}, torch::kInt64),
                       torch::full({1025}, 50, torch::kInt64)};
  const IdRanges there{known.ids.cuda(), known.begin.cuda(), known.end.cuda()};
  EXPECT_TRUE(torch::equal(draw_candidates(answers, 33, 100, 9, known),
                           draw_candidates(answers.cuda(), 33, 100, 9, there).cpu()));
}

}  // namespace
}  // namespace hasa
