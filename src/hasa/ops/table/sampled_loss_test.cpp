#include "hasa/ops/table/sampled_loss.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/pair_scores.h"
#include "hasa/ops/table/row_loss.h"
#include "hasa/ops/table/row_update.h"

namespace hasa {
namespace {

constexpr Similarity kAll[] = {Similarity::dot, Similarity::negative_l1, Similarity::negative_l2,
                               Similarity::negative_modulus};
constexpr RowLossKind kLosses[] = {RowLossKind::self_adversarial, RowLossKind::cross_entropy, RowLossKind::bce,
                                   RowLossKind::margin};

struct Case {
  torch::Tensor queries, table, candidates;

  Case(std::int64_t q, std::int64_t columns, std::int64_t d, torch::Device device)
      : queries(torch::randn({q, d}).to(device) * 0.3),
        table(torch::randn({37, d}).to(device) * 0.3),
        candidates(torch::randint(0, 37, {q, columns}, torch::kInt32).to(device)) {}
};

/// The gradient of the whole table, from what a step of plain descent at rate 1 takes off it: adagrad on squares that
/// are already 1e12 divides by a million.
torch::Tensor table_gradient_of(const Case& given, const SampledLoss& result, Similarity similarity) {
  const torch::Tensor table = given.table.clone();
  const RowState state{torch::full_like(table, 1e12), {}};
  update_rows(table, state, {given.queries, given.candidates, result.coefficients, similarity}, {},
              {RowRule::adagrad, 1e6});
  return given.table - table;
}

void expect_as_by_autograd(const Case& given, Similarity similarity, const RowLoss& loss,
                           const torch::Tensor& weights = {}) {
  const SampledLoss result = sampled_loss(given.queries, given.table, given.candidates, similarity, loss, weights);
  const SampledLossReference expected =
      sampled_loss_reference(given.queries, given.table, given.candidates, similarity, loss, weights);
  const auto near = [](const torch::Tensor& a, const torch::Tensor& b) {
    return torch::allclose(a.to(torch::kFloat64), b, 2e-4, 2e-6);
  };
  EXPECT_TRUE(near(result.loss, expected.loss));
  EXPECT_TRUE(near(result.query_grad, expected.query_grad));
  // What is left of a number near 1 after a difference of two has 1e-7 of it at best.
  EXPECT_TRUE(torch::allclose(table_gradient_of(given, result, similarity).to(torch::kFloat64), expected.table_grad,
                              2e-4, 1e-5));
}

TEST(SampledLoss, AndAllItsGradientsAreThoseOfAutogradForEveryLossAndSimilarity) {
  torch::manual_seed(1);
  for (const Similarity similarity : kAll) {
    for (const RowLossKind kind : kLosses) expect_as_by_autograd({5, 9, 34, torch::kCPU}, similarity, {kind, 2, 0.7});
  }
}

TEST(SampledLoss, WeighsItsQueries) {
  torch::manual_seed(8);
  for (const RowLossKind kind : kLosses) {
    expect_as_by_autograd({5, 9, 34, torch::kCPU}, Similarity::negative_l1, {kind, 2, 0.7}, torch::rand({5}));
  }
}

TEST(SampledLoss, RefusesWeightsOfOtherQueries) {
  const Case given(2, 3, 4, torch::kCPU);
  EXPECT_ERROR(sampled_loss(given.queries, given.table, given.candidates, Similarity::dot, {}, torch::rand({3})),
               "expected weights [queries] float32");
}

TEST(SampledLoss, HoldsAtAwkwardSizes) {
  torch::manual_seed(2);
  for (const Similarity similarity : kAll) {
    for (const std::int64_t d : {2, 32, 62, 130})
      expect_as_by_autograd({3, 2, d, torch::kCPU}, similarity, {RowLossKind::cross_entropy});
    expect_as_by_autograd({1, 257, 16, torch::kCPU}, similarity, {RowLossKind::self_adversarial, 1, 1});
  }
}

TEST(SampledLoss, HasTheGradientsOfFiniteDifferences) {
  torch::manual_seed(3);
  for (const Similarity similarity : kAll) {
    Case given(2, 4, 6, torch::kCPU);
    const RowLoss loss{RowLossKind::cross_entropy};
    const SampledLoss result = sampled_loss(given.queries, given.table, given.candidates, similarity, loss);
    const auto loss_at = [&](const torch::Tensor& queries) {
      return sampled_loss_reference(queries, given.table, given.candidates, similarity, loss).loss.item<double>();
    };
    for (std::int64_t i = 0; i < given.queries.numel(); ++i) {
      torch::Tensor up = given.queries.to(torch::kFloat64).clone(), down = up.clone();
      up.view(-1)[i] += 1e-5;
      down.view(-1)[i] -= 1e-5;
      EXPECT_NEAR(result.query_grad.view(-1)[i].item<double>(), (loss_at(up) - loss_at(down)) / 2e-5, 1e-4);
    }
  }
}

TEST(SampledLoss, IsTheSameForAnyNumberOfThreads) {
  torch::manual_seed(4);
  const Case given(40, 20, 50, torch::kCPU);
  const int before = at::get_num_threads();
  std::vector<torch::Tensor> grads, tables;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const SampledLoss result =
        sampled_loss(given.queries, given.table, given.candidates, Similarity::dot, {RowLossKind::cross_entropy});
    grads.push_back(result.query_grad);
    tables.push_back(table_gradient_of(given, result, Similarity::dot));
  }
  at::set_num_threads(before);
  EXPECT_TRUE(torch::equal(grads[0], grads[1]));
  EXPECT_TRUE(torch::equal(tables[0], tables[1]));
}

/// The loss and its gradients, one after the other.
torch::Tensor all_of(const SampledLoss& result) {
  return torch::cat({result.loss.view(1), result.query_grad.reshape({-1}), result.coefficients.reshape({-1})}).cpu();
}

TEST(SampledLoss, OfABfloat16TableIsThatOfTheSameNumbersInFloat32) {
  torch::manual_seed(6);
  for (const Similarity similarity : kAll) {
    for (const std::int64_t d : {2, 16, 34, 62, 130}) {
      SCOPED_TRACE(d);
      const Case given(5, 9, d, torch::kCPU);
      const torch::Tensor table = given.table.to(torch::kBFloat16);
      const RowLoss loss{RowLossKind::self_adversarial, 1, 0.7};
      const auto result = [&](const torch::Tensor& of) {
        return all_of(sampled_loss(given.queries, of, given.candidates, similarity, loss));
      };
      EXPECT_TRUE(torch::allclose(result(table), result(table.to(torch::kFloat32)), 1e-6, 1e-7));
    }
  }
}

TEST(SampledLoss, RefusesATableOfOtherNumbers) {
  const Case given(2, 3, 4, torch::kCPU);
  EXPECT_ERROR(sampled_loss(given.queries, given.table.to(torch::kHalf), given.candidates, Similarity::dot, {}),
               "a contiguous table of float32 or bfloat16");
}

TEST(SampledLossGpu, OfABfloat16TableIsThatOfTheCpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(7);
  // Rows whose numbers are read one by one, and four at a time in one turn and in several.
  for (const std::int64_t d : {34, 36, 200, 500, 1032}) {
    for (const Similarity similarity : kAll) {
      SCOPED_TRACE(fmt::format("{} numbers, similarity {}", d, static_cast<int>(similarity)));
      const Case given(9, 65, d, torch::kCPU);
      const torch::Tensor table = given.table.to(torch::kBFloat16);
      const auto result = [&](torch::Device device) {
        return all_of(sampled_loss(given.queries.to(device), table.to(device), given.candidates.to(device), similarity,
                                   {RowLossKind::self_adversarial, 2, 0.1}));
      };
      EXPECT_TRUE(torch::allclose(result(torch::kCUDA), result(torch::kCPU), 1e-3, 1e-5));
    }
  }
}

TEST(SampledLossGpu, AndAllItsGradientsAreThoseOfAutogradForEveryLossAndSimilarity) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(5);
  for (const Similarity similarity : kAll) {
    for (const RowLossKind kind : kLosses)
      expect_as_by_autograd({33, 65, 34, torch::kCUDA}, similarity, {kind, 2, 0.7});
    expect_as_by_autograd({5, 1025, 1000, torch::kCUDA}, similarity, {RowLossKind::self_adversarial, 2, 0.1});
    expect_as_by_autograd({33, 65, 34, torch::kCUDA}, similarity, {RowLossKind::self_adversarial, 2, 0.7},
                          torch::rand({33}, torch::kCUDA));
  }
}

TEST(SampledLossGpu, NamesTheKernelThatDoesNotStartWhereARowIsTooLongForIt) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  // A query of 80,000 bytes has no place in the 48 KiB of shared memory that a block has.
  const torch::Tensor rows = torch::zeros({2, 20000}, torch::kCUDA);
  const torch::Tensor candidates = torch::zeros({2, 2}, torch::TensorOptions(torch::kCUDA).dtype(torch::kInt32));
  EXPECT_ERROR(sampled_loss(rows, rows, candidates, Similarity::dot, {RowLossKind::bce, 0, 1}), "sampled_kernel");
}

}  // namespace
}  // namespace hasa
