#include <benchmark/benchmark.h>

#include "hasa/ops/core/device.h"
#include "hasa/ops/graph/path_messages.h"
#include "hasa/ops/graph/path_update.h"

namespace hasa {
namespace {

struct GraphSize {
  std::int64_t entities, triples, relations;
};
constexpr GraphSize kFb{14541, 272115, 237}, kWn{40943, 86835, 11}, kMillion{200000, 500000, 50};

struct Setting {
  PathBatchPtr batch;
  torch::Tensor states, relations, start;
  std::int64_t layer;
};

/// A layer to which nearly everything is reached. Ends are drawn as the square of a uniform number, so that some
/// entities have thousands of edges, as in Freebase.
Setting make_setting(const GraphSize& size, std::int64_t queries, std::int64_t dim) {
  torch::manual_seed(1);
  const auto ends = [&] {
    return (torch::rand({size.triples}).square() * static_cast<double>(size.entities)).to(torch::kInt64);
  };
  const torch::Device device = cuda_is_available() ? torch::kCUDA : torch::kCPU;
  const torch::Dtype dtype = device.is_cpu() ? torch::kFloat32 : torch::kBFloat16;
  const PathGraph graph = make_path_graph(ends(), torch::randint(size.relations, {size.triples}, torch::kInt64), ends(),
                                          size.entities, size.relations);
  Setting s;
  s.layer = 4;
  s.batch = make_path_batch(graph.to(device), torch::randint(size.entities, {queries}, torch::kInt64).to(device), {},
                            s.layer);
  const auto options = torch::TensorOptions(device).dtype(dtype);
  s.states = torch::randn({s.batch->rows[s.layer - 1], dim}, options);
  s.relations = torch::randn({queries, 2 * size.relations, dim}, options);
  s.start = torch::randn({queries, dim}, options);
  return s;
}

/// Of states gathered for each edge, query and dimension; see the contract of path_messages.
void report_bytes(benchmark::State& state, const Setting& s, std::int64_t bytes_each) {
  const std::int64_t values = s.batch->graph.num_edges() * s.batch->queries() * s.states.size(1);
  state.SetBytesProcessed(state.iterations() * values * bytes_each);
  state.counters["queries/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * s.batch->queries()), benchmark::Counter::kIsRate);
}

void forward_pass(benchmark::State& state, const GraphSize& size, Aggregation how) {
  const Setting s = make_setting(size, state.range(0), state.range(1));
  for (auto _ : state) wait_for(path_messages(s.states, s.relations, s.start, s.batch, s.layer, how));
  report_bytes(state, s, s.states.element_size());
}

/// Forward and backward; the bytes are those of both, 2 + 12 in bfloat16 for PNA (float32 on a CPU: 4 + 20).
void both_ways(benchmark::State& state, const GraphSize& size, Aggregation how) {
  const Setting s = make_setting(size, state.range(0), state.range(1));
  const torch::Tensor x = s.states.requires_grad_(), w = s.relations.requires_grad_(), start = s.start.requires_grad_();
  torch::Tensor direction;
  for (auto _ : state) {
    const torch::Tensor out = path_messages(x, w, start, s.batch, s.layer, how);
    if (!direction.defined()) direction = torch::randn_like(out);
    out.backward(direction);
    wait_for(x.grad());
    for (const torch::Tensor& t : {x, w, start}) t.mutable_grad() = torch::Tensor();
  }
  report_bytes(state, s, x.is_cuda() ? 14 : 24);
}

void update_both_ways(benchmark::State& state, const GraphSize& size) {
  const Setting s = make_setting(size, state.range(0), state.range(1));
  const std::int64_t dim = s.states.size(1), rows = s.batch->rows[s.layer];
  const torch::Tensor z = torch::randn({rows, 3 * dim}, s.states.options()).requires_grad_();
  const auto floats = s.states.options().dtype(torch::kFloat32);
  const PathUpdateParameters p{torch::zeros({dim}, floats).requires_grad_(),
                               torch::ones({dim}, floats).requires_grad_(),
                               torch::zeros({dim}, floats).requires_grad_()};
  const torch::Tensor direction = torch::randn({rows, dim}, s.states.options());
  for (auto _ : state) {
    path_update(z, p, s.states, s.batch, s.layer).backward(direction);
    wait_for(z.grad());
    z.mutable_grad() = torch::Tensor();
  }
  // z read and the state written, then z, the gradient and z's gradient.
  state.SetBytesProcessed(state.iterations() * rows * dim * 12 * s.states.element_size());
}

void make_batch(benchmark::State& state, const GraphSize& size) {
  const Setting s = make_setting(size, state.range(0), 32);
  const torch::Tensor hidden = torch::arange(state.range(0), s.batch->heads.options());
  for (auto _ : state) wait_for(make_path_batch(s.batch->graph, s.batch->heads, hidden, 6)->position);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kMillisecond)->UseRealTime();
  if (cuda_is_available()) {
    b->Args({64, 32})->Args({128, 32});
  } else {
    b->Args({2, 32});
  }
}

BENCHMARK_CAPTURE(forward_pass, FB15k237_pna, kFb, Aggregation::pna)->Apply(sizes);
BENCHMARK_CAPTURE(forward_pass, FB15k237_sum, kFb, Aggregation::sum)->Apply(sizes);
BENCHMARK_CAPTURE(both_ways, FB15k237_pna, kFb, Aggregation::pna)->Apply(sizes);
BENCHMARK_CAPTURE(both_ways, WN18RR_pna, kWn, Aggregation::pna)->Apply(sizes);
BENCHMARK_CAPTURE(both_ways, million_edges_pna, kMillion, Aggregation::pna)
    ->Apply([](benchmark::internal::Benchmark* b) {
      b->Unit(benchmark::kMillisecond)->UseRealTime()->Args({cuda_is_available() ? 16 : 2, 32});
    });
BENCHMARK_CAPTURE(update_both_ways, FB15k237, kFb)->Apply(sizes);
BENCHMARK_CAPTURE(make_batch, FB15k237, kFb)->Apply(sizes);
BENCHMARK_CAPTURE(make_batch, WN18RR, kWn)->Apply(sizes);

}  // namespace
}  // namespace hasa
