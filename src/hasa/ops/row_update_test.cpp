#include "hasa/ops/row_update.h"

#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/ops/device.h"
#include "hasa/ops/pair_scores.h"

namespace hasa {
namespace {

/// The rules as written, in double, over a dense gradient; rows without one stay.
struct DenseRules {
  torch::Tensor table, squares, means;

  explicit DenseRules(const torch::Tensor& start)
      : table(start.to(torch::kFloat64)), squares(torch::zeros_like(table)), means(torch::zeros_like(table)) {}

  void step(const torch::Tensor& gradient, const torch::Tensor& touched, const RowStep& step) {
    const torch::Tensor g = gradient.to(torch::kFloat64), rows = touched.unsqueeze(1);
    torch::Tensor change;
    const auto t = static_cast<double>(step.step);
    if (step.rule == RowRule::adam) {
      means = torch::where(rows, means * 0.9 + g * 0.1, means);
      squares = torch::where(rows, squares * 0.999 + g * g * 0.001, squares);
      change = means / (1 - std::pow(0.9, t)) / ((squares / (1 - std::pow(0.999, t))).sqrt() + 1e-8);
    } else {
      const torch::Tensor more = step.rule == RowRule::adagrad ? g * g : (g * g).mean(1, true).expand_as(g);
      squares = squares + more;
      change = g / (squares.sqrt() + 1e-10);
    }
    table = torch::where(rows, table * (1 - step.rate * step.decay) - step.rate * change, table);
  }
};

void expect_rule(RowRule rule, torch::Device device, std::int64_t dim = 34) {
  constexpr std::int64_t kRows = 50;
  torch::Tensor table = torch::randn({kRows, dim}).to(device);
  const RowState state = RowState::of(table, rule);
  DenseRules expected(table);
  for (std::int64_t t = 1; t <= 4; ++t) {
    const torch::Tensor queries = torch::randn({3, dim}, device), coefficients = torch::randn({3, 5}, device);
    const torch::Tensor candidates = torch::randint(0, kRows / 2, {3, 5}, torch::kInt32).to(device);
    const torch::Tensor ids = torch::randint(0, kRows / 2, {6}, torch::kInt32).to(device);
    const torch::Tensor grads = torch::randn({6, dim}, device);
    torch::Tensor dense = torch::zeros({kRows, dim}, device), touched = torch::zeros({kRows}, torch::kBool).to(device);
    // The slope of a dot product is the other vector.
    dense.index_add_(0, candidates.view(-1).to(torch::kInt64),
                     (coefficients.unsqueeze(2) * queries.unsqueeze(1)).view({-1, dim}));
    dense.index_add_(0, ids.to(torch::kInt64), grads);
    touched.index_fill_(0, torch::cat({candidates.view(-1), ids}).to(torch::kInt64), true);
    const RowStep step{rule, 0.05, 0.1, t};
    expected.step(dense, touched, step);
    update_rows(table, state, {queries, candidates, coefficients, Similarity::dot}, {ids, grads}, step);
  }
  EXPECT_TRUE(torch::allclose(table.to(torch::kFloat64), expected.table, 1e-4, 1e-5));
}

TEST(RowUpdate, FollowsItsRulesOverSeveralSteps) {
  torch::manual_seed(1);
  for (const RowRule rule : {RowRule::adam, RowRule::adagrad, RowRule::row_adagrad}) expect_rule(rule, torch::kCPU);
}

TEST(RowUpdate, LeavesRowsThatAreNotNamedAsTheyAre) {
  torch::manual_seed(2);
  const torch::Tensor before = torch::randn({5000, 8});
  torch::Tensor table = before.clone();
  const RowState state = RowState::of(table, RowRule::adam);
  const torch::Tensor ids = torch::tensor({4999, 0, 4999, 2048}, torch::kInt32);
  update_rows(table, state, {}, {ids, torch::ones({4, 8})}, {RowRule::adam, 0.1, 0, 1});
  const torch::Tensor changed = (table != before).any(1).nonzero().view(-1);
  EXPECT_TRUE(torch::equal(changed, torch::tensor({0, 2048, 4999}, torch::kInt64)));
  EXPECT_TRUE(torch::equal((state.squares != 0).any(1).nonzero().view(-1), changed));
}

TEST(RowUpdate, KeepsFourBytesARowForRowAdagrad) {
  const RowState state = RowState::of(torch::zeros({7, 100}), RowRule::row_adagrad);
  EXPECT_EQ(state.squares.numel(), 7);
  EXPECT_FALSE(state.means.defined());
}

TEST(RowUpdate, RefusesIdsAndGradientsOfDifferentNumber) {
  torch::Tensor table = torch::zeros({3, 4});
  EXPECT_ERROR(update_rows(table, RowState::of(table, RowRule::adagrad), {},
                           {torch::zeros({2}, torch::kInt32), torch::zeros({1, 4})}, {}),
               "2 ids and gradients of 1 rows");
}

TEST(RowUpdateGpu, FollowsItsRulesOverSeveralSteps) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(3);
  // Rows whose numbers are read one by one, four at a time, and in several turns.
  for (const std::int64_t dim : {34, 200, 500, 534, 1100}) {
    SCOPED_TRACE(dim);
    for (const RowRule rule : {RowRule::adam, RowRule::adagrad, RowRule::row_adagrad})
      expect_rule(rule, torch::kCUDA, dim);
  }
}

TEST(RowUpdateGpu, ComparesRowsWithQueriesAsTheCpuDoes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(4);
  constexpr std::int64_t kRows = 40, kDim = 1032;
  for (const Similarity similarity :
       {Similarity::dot, Similarity::negative_l1, Similarity::negative_l2, Similarity::negative_modulus}) {
    SCOPED_TRACE(static_cast<int>(similarity));
    const torch::Tensor start = torch::randn({kRows, kDim}), queries = torch::randn({90, kDim});
    const torch::Tensor candidates = torch::randint(0, kRows, {90, 7}, torch::kInt32);
    const torch::Tensor coefficients = torch::randn({90, 7});
    const auto updated = [&](torch::Device device) {
      torch::Tensor table = start.clone().to(device);
      // A rule whose step follows the gradient smoothly: by number, the first step would be its sign.
      const RowState state = RowState::of(table, RowRule::row_adagrad);
      update_rows(table, state, {queries.to(device), candidates.to(device), coefficients.to(device), similarity}, {},
                  {RowRule::row_adagrad, 1, 0, 1});
      return torch::cat({table, state.squares.unsqueeze(1)}, 1).cpu();
    };
    EXPECT_TRUE(torch::allclose(updated(torch::kCUDA), updated(torch::kCPU), 1e-3, 1e-3));
  }
}

}  // namespace
}  // namespace hasa
