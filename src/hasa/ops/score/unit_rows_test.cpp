#include "hasa/ops/score/unit_rows.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(UnitRows, MatchesTheFormulaInDoubleWithItsGradientAtAwkwardSizes) {
  torch::manual_seed(1);
  for (const std::int64_t columns : {1, 15, 31, 33, 1025}) {
    // Rows of length 1 to 2: the gradient is divided by it, and so is its rounding.
    const torch::Tensor drawn = torch::randn({67, columns});
    const torch::Tensor x = (drawn / drawn.norm(2, -1, true) * (1 + torch::rand({67, 1}))).requires_grad_();
    const torch::Tensor reference = x.detach().to(torch::kFloat64).requires_grad_();
    const torch::Tensor out = unit_rows(x), expected = reference / reference.norm(2, -1, true);
    EXPECT_TRUE(torch::allclose(out.to(torch::kFloat64), expected, 1e-5, 1e-6));
    const torch::Tensor direction = torch::randn({67, columns});
    out.backward(direction);
    expected.backward(direction.to(torch::kFloat64));
    EXPECT_TRUE(torch::allclose(x.grad().to(torch::kFloat64), reference.grad(), 1e-4, 1e-5)) << columns;
  }
}

TEST(UnitRows, LeavesARowOfZerosAtZero) {
  EXPECT_EQ(unit_rows(torch::zeros({2, 5})).abs().sum().item<float>(), 0.0F);
  EXPECT_EQ(unit_rows(torch::empty({0, 5})).size(0), 0);
}

TEST(UnitRows, ReadsViewsWhoseRowsAreNotContiguous) {
  const torch::Tensor x = torch::randn({7, 9});
  EXPECT_TRUE(torch::equal(unit_rows(x.t()), unit_rows(x.t().contiguous())));
}

}  // namespace
}  // namespace hasa
