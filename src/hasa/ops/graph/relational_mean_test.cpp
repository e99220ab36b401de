#include "hasa/ops/graph/relational_mean.h"

#include <ATen/Parallel.h>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

struct Problem {
  RelationalEdges edges;
  torch::Tensor values, weights, keep;
};

Problem random_problem(std::int64_t entities, std::int64_t triples, std::int64_t relations, std::int64_t dim) {
  torch::manual_seed(7 + entities + triples);
  const auto ids = [&](std::int64_t bound) {
    return torch::randint(std::max<std::int64_t>(1, bound), {triples}, torch::kInt64);
  };
  Problem p;
  p.edges = make_relational_edges(ids(entities), ids(relations), ids(entities), entities, relations);
  p.values = torch::randn({entities, dim});
  p.weights = torch::randn({2 * relations, dim});
  p.keep = torch::rand({triples}) > 0.3;
  return p;
}

// float32 sums of at most a few hundred terms of size 1, against double.
constexpr double kTolerance = 1e-4;

void expect_matches_reference(const Problem& p, const torch::Device& device) {
  const auto leaf = [](const torch::Tensor& t) { return t.detach().clone().requires_grad_(); };
  const torch::Tensor v = leaf(p.values.to(device)), w = leaf(p.weights.to(device));
  const torch::Tensor rv = leaf(p.values), rw = leaf(p.weights);
  const torch::Tensor keep = p.keep.defined() ? p.keep.to(device) : p.keep;
  const torch::Tensor out = relational_mean(v, w, p.edges.to(device), keep);
  const torch::Tensor expected = relational_mean_reference(rv, rw, p.edges, p.keep);
  EXPECT_TRUE(torch::allclose(out.cpu().to(torch::kFloat64), expected, kTolerance, kTolerance));

  if (p.edges.edges() == 0) return;  // nothing to send gradients along
  const torch::Tensor direction = torch::randn(p.values.sizes());
  (out * direction.to(device)).sum().backward();
  (expected * direction).sum().backward();
  EXPECT_TRUE(torch::allclose(v.grad().cpu(), rv.grad(), kTolerance, kTolerance));
  EXPECT_TRUE(torch::allclose(w.grad().cpu(), rw.grad(), kTolerance, kTolerance * 10));
}

TEST(RelationalMean, MatchesTheReferenceInValueAndGradientAtAwkwardSizes) {
  for (const std::int64_t dim : {1, 31, 33, 256})
    expect_matches_reference(random_problem(33, 200, 3, dim), torch::kCPU);
  expect_matches_reference(random_problem(1, 5, 1, 8), torch::kCPU);
  expect_matches_reference(random_problem(7, 1, 2, 8), torch::kCPU);
  expect_matches_reference(random_problem(40, 9000, 2, 5), torch::kCPU);
}

TEST(RelationalMean, KeepsAllEdgesWhenNoFlagsAreGiven) {
  Problem p = random_problem(20, 60, 2, 9);
  p.keep = torch::Tensor();
  expect_matches_reference(p, torch::kCPU);
}

TEST(RelationalMean, GivesZerosToEntitiesWithoutEdges) {
  const Problem p = random_problem(5, 0, 2, 4);
  EXPECT_EQ(relational_mean(p.values, p.weights, p.edges, p.keep).abs().sum().item<float>(), 0.0F);
}

TEST(RelationalMean, AnswersTheSameForAnyNumberOfThreads) {
  const Problem p = random_problem(300, 30000, 2, 16);
  const auto gradient = [&](int threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    const torch::Tensor w = p.weights.detach().clone().requires_grad_();
    relational_mean(p.values, w, p.edges, p.keep).square().sum().backward();
    at::set_num_threads(before);
    return w.grad();
  };
  EXPECT_TRUE(torch::equal(gradient(1), gradient(2)));
}

TEST(RelationalMean, ReadsViewsWhoseRowsAreNotContiguous) {
  Problem p = random_problem(33, 200, 3, 12);
  p.values = torch::randn({12, 33}).t();
  expect_matches_reference(p, torch::kCPU);
}

TEST(RelationalMean, RefusesTensorsThatDoNotFitTheEdges) {
  const Problem p = random_problem(10, 20, 2, 4);
  EXPECT_ERROR(relational_mean(p.values.slice(0, 1), p.weights, p.edges), "expected values of 10 entities, got 9 rows");
  EXPECT_ERROR(relational_mean(p.values, p.weights.slice(0, 1), p.edges), "expected weights [4, 4], got [3, 4]");
  EXPECT_ERROR(relational_mean(p.values, p.weights, p.edges, p.keep.slice(0, 1)), "a flag for each of 20 triples");
}

TEST(RelationalMeanGpu, MatchesTheReferenceInValueAndGradientAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t dim : {1, 31, 33, 256, 500}) {
    expect_matches_reference(random_problem(33, 200, 3, dim), torch::kCUDA);
  }
  expect_matches_reference(random_problem(40, 9000, 2, 5), torch::kCUDA);
  expect_matches_reference(random_problem(5, 0, 2, 4), torch::kCUDA);
}

}  // namespace
}  // namespace hasa
