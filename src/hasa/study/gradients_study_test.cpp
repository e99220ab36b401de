#include "hasa/study/gradients_study.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

TEST(Gradients, AreThoseOfTheFormulas) {
  // Two candidates with scores 0 and 0: each has probability 1/2, so dL/de_t = -q / 2 and dL/de_j = q / 2.
  const torch::Tensor query = torch::tensor({3.0, 4.0}, torch::kFloat64);
  const torch::Tensor candidates = torch::tensor({{4.0, -3.0}, {-4.0, 3.0}}, torch::kFloat64);
  const FalseNegativeGradient two = gradient_of(query, candidates, 0, 1);
  EXPECT_NEAR(two.cosine, -1, 1e-12);
  EXPECT_NEAR(two.score_change, -1e-3 * 12.5, 1e-12);
  // With a single negative the printed equation holds: q / 2 + q / 2 = q.
  EXPECT_NEAR(two.printed_error, 0, 1e-12);
  // With a second one it does not: thirds, q / 3 + 2 q / 3 - q is still 0, but not where the scores differ.
  const torch::Tensor three = torch::tensor({{4.0, -3.0}, {-4.0, 3.0}, {0.3, 0.4}}, torch::kFloat64);
  const double e = std::exp(2.5), all = 2 + e;  // scores 0, 0 and 2.5
  const FalseNegativeGradient found = gradient_of(query, three, 0, 1);
  // 1 / all + (1 - 1 / all) = 1 again: dL/de_j - dL/de_t = (w_j + 1 - p_t) q, with w_j = p_t here.
  EXPECT_NEAR(found.printed_error, 0, 1e-12);
  // Of the third, w_j = e / all and 1 - p_t = 1 - 1 / all, so the sum is off by (e - 1) / all.
  EXPECT_NEAR(gradient_of(query, three, 0, 2).printed_error, (e - 1) / all, 1e-12);
  EXPECT_NEAR(found.sum_error, 0, 1e-12);
}

FalseNegativeGradient made_up(double cosine, double change, double error) {
  return {.cosine = cosine, .score_change = change, .printed_error = error, .sum_error = 1e-15};
}

TEST(Gradients, TurnTheirSentenceRoundWithTheData) {
  const Verdict up = judge_gradients({"animal", {made_up(-1, -0.1, 0.5), made_up(-1, -0.2, 0.7)}});
  EXPECT_EQ(up.claim, 19);
  EXPECT_EQ(up.agreement, Agreement::agrees);
  EXPECT_THAT(up.sentence, HasSubstr("opposite to the answer's for 2 of 2 queries"));
  EXPECT_THAT(up.sentence, HasSubstr("holds for 0: it is off by 0.6"));
  const Verdict down = judge_gradients({"animal", {made_up(1, 0.1, 0), made_up(0.5, 0.2, 0)}});
  EXPECT_EQ(down.agreement, Agreement::disagrees);
  EXPECT_THAT(down.sentence, HasSubstr("opposite to the answer's for 0 of 2 queries"));
  EXPECT_THAT(down.sentence, HasSubstr("holds for 2"));
  EXPECT_EQ(judge_gradients({"animal", {made_up(-1, -0.1, 0.5), made_up(0, 0.1, 0.5)}}).agreement, Agreement::mixed);
}

}  // namespace
}  // namespace hasa
