#include <benchmark/benchmark.h>

#include "hasa/ops/score/ordered_product.h"

namespace hasa {
namespace {

/// Queries of WN18RR scored against all its entities, as evaluation does, beside LibTorch's product (MKL).
template <torch::Tensor (*kProduct)(const torch::Tensor&, const torch::Tensor&)>
void against_all_entities(benchmark::State& state) {
  const torch::Tensor queries = torch::randn({state.range(0), 256}), entities = torch::randn({40943, 256});
  for (auto _ : state) benchmark::DoNotOptimize(kProduct(queries, entities.t()));
  state.counters["flop/s"] = benchmark::Counter(static_cast<double>(2 * queries.numel() * entities.size(0)),
                                                benchmark::Counter::kIsIterationInvariantRate);
}
torch::Tensor plain_product(const torch::Tensor& a, const torch::Tensor& b) { return torch::mm(a, b); }
void ordered(benchmark::State& state) { against_all_entities<ordered_product>(state); }
void plain(benchmark::State& state) { against_all_entities<plain_product>(state); }
BENCHMARK(ordered)->Arg(1)->Arg(16)->Arg(256)->Arg(4096)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(plain)->Arg(1)->Arg(16)->Arg(256)->Arg(4096)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
}  // namespace hasa
