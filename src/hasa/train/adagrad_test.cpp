#include "hasa/train/adagrad.h"

#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/ops/table/row_update.h"

namespace hasa {
namespace {

OptimiserConfig config_of(OptimiserKind kind) {
  OptimiserConfig config;
  config.kind = kind;
  config.lr = 0.5;
  config.weight_decay = 0;
  return config;
}

TEST(Adagrad, DividesByTheRootOfAllSquaresSoFar) {
  const torch::Tensor x = torch::zeros({1, 2}).requires_grad_();
  Adagrad optimiser({{"x", x, ParameterKind::new_layer}}, config_of(OptimiserKind::adagrad));
  double first = 0, second = 0, squares = 0;
  for (const double g : {2.0, 1.0, -3.0}) {
    x.mutable_grad() = torch::tensor({g, 0.0}, torch::kFloat32).view({1, 2});
    EXPECT_NEAR(optimiser.step(1).item<double>(), std::abs(g), 1e-6);
    squares += g * g;
    first -= 0.5 * g / std::sqrt(squares);
  }
  EXPECT_NEAR(x[0][0].item<double>(), first, 1e-6);
  EXPECT_NEAR(x[0][1].item<double>(), second, 1e-12);  // what has no gradient stays
}

TEST(Adagrad, IsTheSameOverWholeTablesAsOverNamedRows) {
  torch::manual_seed(1);
  for (const auto& [kind, rule] :
       {std::pair{OptimiserKind::adagrad, RowRule::adagrad}, {OptimiserKind::row_adagrad, RowRule::row_adagrad}}) {
    const torch::Tensor dense = torch::randn({6, 20}), sparse = dense.clone();
    dense.requires_grad_();
    OptimiserConfig config = config_of(kind);
    config.weight_decay = 0.01;
    Adagrad optimiser({{"x", dense, ParameterKind::new_layer}}, config);
    const RowState state = RowState::of(sparse, rule);
    for (int i = 0; i < 3; ++i) {
      const torch::Tensor gradient = torch::randn({6, 20});
      dense.mutable_grad() = gradient.clone();
      optimiser.step(0.1);
      update_rows(sparse, state, {}, {torch::arange(6, torch::kInt32), gradient}, {rule, 0.05, 0.01});
    }
    EXPECT_TRUE(torch::allclose(dense, sparse, 1e-5, 1e-6));
  }
}

}  // namespace
}  // namespace hasa
