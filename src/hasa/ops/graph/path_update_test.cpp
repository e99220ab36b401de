#include "hasa/ops/graph/path_update.h"

#include <ATen/Parallel.h>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/graph/path_graphs_for_tests.h"

namespace hasa {
namespace {

struct Problem {
  PathGraph graph;
  torch::Tensor heads;
  torch::Tensor z, before, bias, norm_weight, norm_bias;
};

Problem make_problem(std::int64_t entities, std::int64_t queries, std::int64_t dim, std::int64_t parts) {
  Problem p{draw_triples(entities, 2 * entities, 2).graph(), torch::randint(entities, {queries}, torch::kInt64)};
  const PathBatchPtr batch = make_path_batch(p.graph, p.heads, {}, 2);
  p.z = torch::randn({batch->rows[2], parts * dim});
  p.before = torch::randn({batch->rows[1], dim});
  p.bias = torch::randn({dim});
  p.norm_weight = torch::randn({dim});
  p.norm_bias = torch::randn({dim});
  return p;
}

/// The result and the gradients of everything, in double on the CPU.
template <class Run>
std::vector<torch::Tensor> run(const Problem& p, const torch::Device& device, torch::Dtype values, torch::Dtype weights,
                               const Run& update) {
  const PathBatchPtr batch = make_path_batch(p.graph.to(device), p.heads.to(device), {}, 2);
  const auto leaf = [&](const torch::Tensor& t, torch::Dtype dtype) {
    return t.to(device, dtype, false, /*copy=*/true).requires_grad_();
  };
  const torch::Tensor z = leaf(p.z, values), before = leaf(p.before, values);
  const PathUpdateParameters parameters{leaf(p.bias, weights), leaf(p.norm_weight, weights),
                                        leaf(p.norm_bias, weights)};
  const torch::Tensor out = update(z, parameters, before, batch);
  torch::manual_seed(3);
  (out * torch::randn(out.sizes()).to(device, values)).sum().backward();
  std::vector<torch::Tensor> results = {out};
  for (const torch::Tensor& t : {z, before, parameters.bias, parameters.norm_weight, parameters.norm_bias})
    results.push_back(t.grad());
  for (torch::Tensor& t : results) t = t.detach().cpu().to(torch::kFloat64);
  return results;
}

void expect_matches_reference(const Problem& p, const torch::Device& device, torch::Dtype dtype, double tolerance) {
  Problem rounded = p;
  for (torch::Tensor* t : {&rounded.z, &rounded.before}) *t = t->to(dtype).to(torch::kFloat32);
  const auto got = run(
      rounded, device, dtype, torch::kFloat32,
      [](const auto& z, const auto& w, const auto& b, const auto& batch) { return path_update(z, w, b, batch, 2); });
  const auto expected = run(rounded, torch::kCPU, torch::kFloat64, torch::kFloat64,
                            [](const auto& z, const auto& w, const auto& b, const auto& batch) {
                              return path_update_reference(z, w, b, batch, 2);
                            });
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double size = expected[i].numel() > 0 ? expected[i].abs().max().item<double>() : 0;
    EXPECT_TRUE(torch::allclose(got[i], expected[i], 0, tolerance * (1 + size))) << "tensor " << i;
  }
}

TEST(PathUpdate, MatchesTensorOperationsInValueAndGradient) {
  for (const std::int64_t dim : {8, 16, 32, 64, 128}) {
    // Sums in float32 over some hundred rows.
    expect_matches_reference(make_problem(33, 3, dim, 3), torch::kCPU, torch::kFloat32, 2e-5);
    expect_matches_reference(make_problem(31, 2, dim, 1), torch::kCPU, torch::kFloat32, 2e-5);
  }
  expect_matches_reference(make_problem(1, 1, 8, 3), torch::kCPU, torch::kFloat32, 2e-5);
}

TEST(PathUpdate, AnswersTheSameForAnyNumberOfThreads) {
  const Problem p = make_problem(700, 4, 32, 3);
  const auto with_threads = [&](int threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    const auto results = run(
        p, torch::kCPU, torch::kFloat32, torch::kFloat32,
        [](const auto& z, const auto& w, const auto& b, const auto& batch) { return path_update(z, w, b, batch, 2); });
    at::set_num_threads(before);
    return results;
  };
  const auto one = with_threads(1), two = with_threads(2);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(torch::equal(one[i], two[i])) << "tensor " << i;
}

TEST(PathUpdate, RefusesTensorsThatDoNotFitTheBatch) {
  const Problem p = make_problem(9, 2, 8, 3);
  const PathBatchPtr batch = make_path_batch(p.graph, p.heads, {}, 2);
  const PathUpdateParameters w{p.bias, p.norm_weight, p.norm_bias};
  EXPECT_ERROR(path_update(p.z.slice(1, 1), w, p.before, batch, 2), "of 8 or 24 columns");
  EXPECT_ERROR(path_update(p.z, w, p.before.slice(0, 1), batch, 2), "states before layer 2");
}

TEST(PathUpdateGpu, MatchesTensorOperationsInValueAndGradient) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t dim : {8, 16, 32, 64, 128}) {
    expect_matches_reference(make_problem(33, 3, dim, 3), torch::kCUDA, torch::kFloat32, 2e-5);
    expect_matches_reference(make_problem(31, 2, dim, 1), torch::kCUDA, torch::kFloat32, 2e-5);
    expect_matches_reference(make_problem(700, 4, dim, 3), torch::kCUDA, torch::kBFloat16, 1e-2);  // 8 bits
  }
}

}  // namespace
}  // namespace hasa
