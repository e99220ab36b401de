#include "hasa/ops/graph/path_messages.h"

#include <ATen/Parallel.h>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/graph/path_graphs_for_tests.h"

namespace hasa {
namespace {

constexpr std::int64_t kLayers = 3;

/// Odd multiples of 1/4, so that messages are odd multiples of 1/16 and float32 sums of them are exact: equal messages
/// tie on every device, none ties with the zeros of entities not reached, and the spread of unequal ones stays far
/// above the 1e-6 at which its gradient jumps.
torch::Tensor on_a_grid(torch::IntArrayRef sizes) {
  return (2 * torch::randint(-4, 4, sizes) + 1).to(torch::kFloat32) / 4;
}

struct Problem {
  PathGraph graph;
  torch::Tensor heads, hidden, relations, start;
  std::int64_t dim;

  PathBatchPtr batch(const torch::Device& device) const {
    return make_path_batch(graph.to(device), heads.to(device), hidden.to(device), kLayers);
  }
  torch::Tensor states(const PathBatchPtr& batch, std::int64_t layer) const {
    torch::manual_seed(5 + layer);
    return on_a_grid({batch->rows[layer - 1], dim});
  }
};

Problem make_problem(const DrawnTriples& drawn, std::int64_t queries, std::int64_t dim, std::int64_t hidden) {
  Problem p{
      drawn.graph(), torch::randint(drawn.entities, {queries}, torch::kInt64), torch::arange(hidden), {}, {}, dim};
  p.relations = on_a_grid({queries, 2 * drawn.relation_count, dim});
  p.start = on_a_grid({queries, dim});
  return p;
}

struct Gradients {
  torch::Tensor out, states, relations, start;
};

template <class Run>
Gradients run_with_gradients(const Run& run, const torch::Tensor& x, const torch::Tensor& w, const torch::Tensor& s) {
  const auto leaf = [](const torch::Tensor& t) { return t.detach().clone().requires_grad_(); };
  const torch::Tensor states = leaf(x), relations = leaf(w), start = leaf(s);
  const torch::Tensor out = run(states, relations, start);
  torch::manual_seed(3);
  const torch::Tensor direction = torch::randn(out.sizes(), torch::kFloat64);
  (out * direction.to(out.device()).to(out.scalar_type())).sum().backward();
  const auto back = [](const torch::Tensor& t) {
    return t.grad().defined() ? t.grad().cpu().to(torch::kFloat64) : torch::zeros_like(t, torch::kFloat64).cpu();
  };
  return {out.detach().cpu().to(torch::kFloat64), back(states), back(relations), back(start)};
}

/// float32 against double: sums of up to some hundred messages of size 1; the spread divides by as little as 1e-3 where
/// messages are few and alike, so its gradient is compared relative to its size.
void expect_close(const torch::Tensor& got, const torch::Tensor& expected, double tolerance, const char* what) {
  ASSERT_EQ(got.sizes(), expected.sizes()) << what;
  if (got.numel() == 0) return;
  const double size = expected.abs().max().item<double>();
  EXPECT_LE((got - expected).abs().max().item<double>(), tolerance * (1 + size)) << what;
}

void expect_matches_reference(const Problem& p, Aggregation how, const torch::Device& device,
                              torch::Dtype dtype = torch::kFloat32, double tolerance = 2e-5) {
  const PathBatchPtr batch = p.batch(device);
  for (std::int64_t layer = 1; layer <= kLayers; ++layer) {
    // What both read is rounded first, so that they choose the same extremes.
    const auto rounded = [&](const torch::Tensor& t) { return t.to(dtype).to(torch::kFloat32); };
    const torch::Tensor x = rounded(p.states(batch, layer)), w = rounded(p.relations), s = rounded(p.start);
    const auto put = [&](const torch::Tensor& t) { return t.to(device).to(dtype); };
    const Gradients got = run_with_gradients(
        [&](const auto& a, const auto& b, const auto& c) { return path_messages(a, b, c, batch, layer, how); }, put(x),
        put(w), put(s));
    const Gradients expected =
        run_with_gradients([&](const auto& a, const auto& b,
                               const auto& c) { return path_messages_reference(a, b, c, batch, layer, how); },
                           x, w, s);
    expect_close(got.out, expected.out, tolerance, "result");
    expect_close(got.states, expected.states, tolerance, "gradient of the states");
    expect_close(got.relations, expected.relations, tolerance, "gradient of the relations");
    expect_close(got.start, expected.start, tolerance, "gradient of the start");
  }
}

void expect_matches_everywhere(const torch::Device& device) {
  for (const Aggregation how : {Aggregation::sum, Aggregation::pna}) {
    for (const std::int64_t entities : {1, 2, 31, 33})
      expect_matches_reference(make_problem(draw_triples(entities, 2 * entities, 2), 3, 8, 1), how, device);
    for (const std::int64_t dim : {16, 32, 64, 128})
      expect_matches_reference(make_problem(draw_triples(12, 30, 3), 5, dim, 2), how, device);
    // Copies of triples and loops; a hub whose row is cut in parts.
    expect_matches_reference(make_problem(draw_triples(3, 400, 1), 2, 8, 5), how, device);
    expect_matches_reference(make_problem(draw_triples(4, 40, 4), 9, 16, 3), how, device);
    // No edges at all, and all of them hidden.
    expect_matches_reference(make_problem(draw_triples(4, 0, 2), 3, 8, 0), how, device);
    expect_matches_reference(make_problem(draw_triples(7, 12, 2), 3, 8, 12), how, device);
  }
}

TEST(PathMessages, MatchTheReferenceInValueAndGradientAtAwkwardSizes) { expect_matches_everywhere(torch::kCPU); }

TEST(PathMessages, TakeNoQueriesForAnAnswer) {
  const Problem p = make_problem(draw_triples(5, 8, 2), 0, 8, 0);
  const PathBatchPtr batch = p.batch(torch::kCPU);
  EXPECT_EQ(path_messages(p.states(batch, 1), p.relations, p.start, batch, 1, Aggregation::pna).size(0), 0);
}

TEST(PathMessages, SayWhatTheFormulaSaysOnThreeEntities) {
  // 0 -r-> 1 twice and 2 -r-> 1; the query starts at 0 with the values 2, w is 3 for r. Entity 1 hears 6, 6 and, from
  // 2, which is not reached, 0, beside its own start of 0: mean 3, spread 3.
  const PathGraph graph = make_path_graph(torch::tensor({0, 0, 2}, torch::kInt64), torch::zeros({3}, torch::kInt64),
                                          torch::tensor({1, 1, 1}, torch::kInt64), 3, 1);
  const PathBatchPtr batch = make_path_batch(graph, torch::zeros({1}, torch::kInt64), {}, 1);
  const torch::Tensor start = torch::full({1, 8}, 2.0F);
  const torch::Tensor relations = torch::stack({torch::full({8}, 3.0F), torch::full({8}, -1.0F)}).unsqueeze(0);
  const torch::Tensor out = path_messages(start, relations, start, batch, 1, Aggregation::pna).view({2, 5, 8});
  const auto expect = [&](std::int64_t row, std::vector<float> values) {
    EXPECT_TRUE(torch::allclose(out[row].select(1, 0), torch::tensor(values))) << out[row].select(1, 0);
  };
  expect(0, {2, 2.0F / 3, 2, 0, std::sqrt(4.0F / 3 - 4.0F / 9)});  // 1 is not reached either: two zeros and the start
  expect(1, {0, 3, 6, 0, 3});
}

TEST(PathMessages, HaveTheGradientsOfFiniteDifferencesInDouble) {
  Problem p = make_problem(draw_triples(6, 10, 2), 2, 8, 1);
  p.relations = torch::randn_like(p.relations);  // no ties: a maximum has no slope there
  p.start = torch::randn_like(p.start);
  const PathBatchPtr batch = p.batch(torch::kCPU);
  torch::manual_seed(9);
  const torch::Tensor x = torch::randn({batch->rows[1], p.dim}, torch::kFloat64);
  const torch::Tensor direction = torch::randn({batch->rows[2], 40}, torch::kFloat64);
  const auto value = [&](const torch::Tensor& w) {
    return (path_messages_reference(x, w, p.start, batch, 2, Aggregation::pna) * direction).sum();
  };
  const torch::Tensor w = p.relations.to(torch::kFloat64).requires_grad_();
  value(w).backward();
  const double step = 1e-6;
  for (std::int64_t i = 0; i < w.numel(); i += 5) {
    torch::Tensor up = w.detach().clone(), down = w.detach().clone();
    up.view(-1)[i] += step;
    down.view(-1)[i] -= step;
    const double slope = (value(up) - value(down)).item<double>() / (2 * step);
    EXPECT_NEAR(slope, w.grad().view(-1)[i].item<double>(), 1e-4 * (1 + std::abs(slope)));
  }
}

TEST(PathMessages, AnswerTheSameForAnyNumberOfThreads) {
  const Problem p = make_problem(draw_triples(300, 3000, 3), 7, 32, 9);
  const PathBatchPtr batch = p.batch(torch::kCPU);
  const torch::Tensor x = p.states(batch, 3);
  const auto with_threads = [&](int threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    const Gradients g = run_with_gradients(
        [&](const auto& a, const auto& b, const auto& c) { return path_messages(a, b, c, batch, 3, Aggregation::pna); },
        x, p.relations, p.start);
    at::set_num_threads(before);
    return g;
  };
  const Gradients one = with_threads(1), two = with_threads(2);
  EXPECT_TRUE(torch::equal(one.out, two.out));
  EXPECT_TRUE(torch::equal(one.states, two.states));
  EXPECT_TRUE(torch::equal(one.relations, two.relations));
}

TEST(PathMessages, RefuseTensorsThatDoNotFitTheBatch) {
  const Problem p = make_problem(draw_triples(5, 8, 2), 2, 8, 0);
  const PathBatchPtr batch = p.batch(torch::kCPU);
  const torch::Tensor x = p.states(batch, 1);
  const Aggregation pna = Aggregation::pna;
  EXPECT_ERROR(path_messages(x, p.relations, p.start, batch, 4, pna), "layer 4 of a batch made for 3");
  EXPECT_ERROR(path_messages(x.slice(0, 1), p.relations, p.start, batch, 1, pna),
               "the states of 2 pairs before layer 1");
  EXPECT_ERROR(path_messages(torch::zeros({2, 7}), p.relations, p.start, batch, 1, pna), "128 dimensions, got 7");
  EXPECT_ERROR(path_messages(x, p.relations.slice(1, 1), p.start, batch, 1, pna), "expected relations [2, 4, 8]");
  EXPECT_ERROR(path_messages(x, p.relations.to(torch::kFloat64), p.start, batch, 1, pna), "one dtype");
}

TEST(PathMessagesGpu, MatchTheReferenceInValueAndGradientAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_matches_everywhere(torch::kCUDA);
  // More relations than shared memory takes, more queries than a tile has.
  expect_matches_reference(make_problem(draw_triples(30, 60, 1500), 5, 32, 2), Aggregation::pna, torch::kCUDA);
  expect_matches_reference(make_problem(draw_triples(40, 90, 2), 19, 32, 2), Aggregation::pna, torch::kCUDA);
}

TEST(PathMessagesGpu, MatchTheReferenceInBFloat16) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  // Results have 8 bits; in the gradient of the spread two rounded terms nearly cancel.
  for (const Aggregation how : {Aggregation::sum, Aggregation::pna})
    expect_matches_reference(make_problem(draw_triples(33, 90, 3), 6, 32, 4), how, torch::kCUDA, torch::kBFloat16,
                             2e-2);
}

TEST(PathMessagesGpu, AreTheSameFromRunToRun) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Problem p = make_problem(draw_triples(500, 20000, 3), 16, 32, 9);
  const PathBatchPtr batch = p.batch(torch::kCUDA);
  const auto once = [&] {
    return run_with_gradients(
        [&](const auto& a, const auto& b, const auto& c) { return path_messages(a, b, c, batch, 2, Aggregation::pna); },
        p.states(batch, 2).cuda().to(torch::kBFloat16), p.relations.cuda().to(torch::kBFloat16),
        p.start.cuda().to(torch::kBFloat16));
  };
  const Gradients first = once(), second = once();
  EXPECT_TRUE(torch::equal(first.out, second.out));
  EXPECT_TRUE(torch::equal(first.states, second.states));
  EXPECT_TRUE(torch::equal(first.relations, second.relations));
  EXPECT_TRUE(torch::equal(first.start, second.start));
}

}  // namespace
}  // namespace hasa
