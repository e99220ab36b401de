#include "hasa/train/row_optimiser.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

class RowOptimiserTest : public ::testing::TestWithParam<OptimiserKind> {
 protected:
  RowOptimiserTest() : config_{.kind = GetParam(), .lr = 0.1, .weight_decay = 0} {}
  /// A step whose gradient is 1 in every number of rows 1 and 3, row 3 twice, and of the other parameter.
  static void leave(RowGradients& gradients, const torch::Tensor& other) {
    const torch::Tensor ids = torch::tensor({1, 3, 3}, torch::kInt32);
    gradients.direct = {ids, torch::ones({3, 2})};
    gradients.length = torch::ones({});
    other.mutable_grad() = torch::ones_like(other);
  }
  OptimiserConfig config_;
};

TEST_P(RowOptimiserTest, UpdatesTheNamedRowsAndTheOtherParameters) {
  const torch::Tensor table = torch::zeros({5, 2}), other = torch::zeros({2, 2}).requires_grad_();
  RowGradients gradients;
  RowOptimiser optimiser({"entities", table}, gradients, {{"relations", other, ParameterKind::new_layer}}, config_);
  leave(gradients, other);
  EXPECT_EQ(optimiser.step(1).item<float>(), 1);
  for (const int row : {0, 2, 4}) EXPECT_TRUE(torch::equal(table[row], torch::zeros({2}))) << row;
  // The first step of each rule is the rate, whatever the gradient's size.
  for (const int row : {1, 3}) EXPECT_TRUE(torch::allclose(table[row], torch::full({2}, -0.1), 1e-4, 1e-6)) << row;
  EXPECT_TRUE(torch::allclose(other.detach(), torch::full({2, 2}, -0.1), 1e-4, 1e-6));
  EXPECT_FALSE(gradients.length.defined()) << "what a step left is taken";
}

TEST_P(RowOptimiserTest, ResumesFromItsState) {
  torch::Tensor tables[2];
  for (const bool interrupted : {false, true}) {
    const torch::Tensor table = tables[interrupted] = torch::zeros({5, 2});
    const torch::Tensor other = torch::zeros({2, 2}).requires_grad_();
    RowGradients gradients;
    const auto make = [&] {
      return std::make_unique<RowOptimiser>(NamedTensor{"entities", table}, gradients,
                                            Parameters{{"relations", other, ParameterKind::new_layer}}, config_);
    };
    std::unique_ptr<RowOptimiser> optimiser = make();
    for (int step = 0; step < 4; ++step) {
      if (interrupted && step == 2) {
        const torch::NoGradGuard no_grad;
        std::unique_ptr<RowOptimiser> next = make();
        const NamedTensors from = optimiser->state(), to = next->state();
        for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.copy_(from[i].tensor);
        optimiser = std::move(next);
      }
      leave(gradients, other);
      optimiser->step(1);
    }
  }
  EXPECT_TRUE(torch::equal(tables[0], tables[1]));
}

TEST(RowStateBytes, AreFourForARowWithRowAdagradAndFourOrEightForANumberElse) {
  EXPECT_EQ(row_state_bytes(OptimiserKind::row_adagrad, 1000, 50), 4 * 1000);
  EXPECT_EQ(row_state_bytes(OptimiserKind::adagrad, 1000, 50), 4 * 1000 * 50);
  EXPECT_EQ(row_state_bytes(OptimiserKind::adamw, 1000, 50), 8 * 1000 * 50);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RowOptimiserTest,
                         ::testing::Values(OptimiserKind::adamw, OptimiserKind::adagrad, OptimiserKind::row_adagrad));

}  // namespace
}  // namespace hasa
