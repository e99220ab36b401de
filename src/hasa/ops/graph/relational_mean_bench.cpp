#include <benchmark/benchmark.h>

#include "hasa/ops/graph/relational_mean.h"

namespace hasa {
namespace {

/// The size of WN18RR: forward and both gradients, and the bytes the edges' rows come to.
void relational_mean_step(benchmark::State& state) {
  const std::int64_t entities = 40943, triples = 86835, relations = 11, dim = 256;
  const auto ids = [&](std::int64_t bound) { return torch::randint(bound, {triples}, torch::kInt64); };
  const RelationalEdges edges =
      make_relational_edges(ids(entities), ids(relations), ids(entities), entities, relations);
  const torch::Tensor values = torch::randn({entities, dim}).requires_grad_();
  const torch::Tensor weights = torch::randn({2 * relations, dim}).requires_grad_();
  const torch::Tensor direction = torch::randn({entities, dim});
  for (auto _ : state) {
    relational_mean(values, weights, edges).backward(direction);
    values.mutable_grad() = torch::Tensor();
    weights.mutable_grad() = torch::Tensor();
  }
  // Each pass reads a row for every edge; three passes.
  state.SetBytesProcessed(state.iterations() * 3 * 2 * triples * dim * static_cast<std::int64_t>(sizeof(float)));
}
BENCHMARK(relational_mean_step)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hasa
