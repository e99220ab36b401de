#include <benchmark/benchmark.h>

#include "hasa/ops/core/device.h"
#include "hasa/ops/score/top_entities.h"

namespace hasa {
namespace {

/// The three hardest negatives of a batch of 256 among WN18RR's entities, d = 500; beside it the product alone,
/// which is the roof.
struct Batch {
  torch::Tensor queries, entities;
  RaggedIds excluded;

  explicit Batch(torch::Device device) {
    const std::int64_t batch = 256, num_entities = 40943, dim = 500, excluded_each = 3;
    queries = torch::randn({batch, dim}).to(device);
    entities = torch::randn({num_entities, dim}).to(device);
    const torch::Tensor ids = torch::randint(num_entities, {batch * excluded_each}, torch::kInt64);
    excluded = RaggedIds{ids, torch::arange(batch + 1) * excluded_each}.to(device);
  }
  void count(benchmark::State& state) const {
    const double products = 2.0 * static_cast<double>(queries.size(0) * entities.numel());
    state.counters["FLOP/s"] =
        benchmark::Counter(products, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
  }
};

void product_alone(benchmark::State& state) {
  const Batch batch(torch::kCPU);
  torch::Tensor out = torch::empty({batch.queries.size(0), batch.entities.size(0)});
  for (auto _ : state) torch::mm_out(out, batch.queries, batch.entities.t());
  batch.count(state);
}
BENCHMARK(product_alone)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void top_entities_wn18rr(benchmark::State& state) {
  const Batch batch(torch::kCPU);
  const std::int64_t k = state.range(0), workspace = state.range(1) << 20;
  for (auto _ : state) {
    benchmark::DoNotOptimize(top_entities(batch.queries, batch.entities, batch.excluded, k, workspace));
  }
  batch.count(state);
}
BENCHMARK(top_entities_wn18rr)
    ->ArgNames({"k", "MB"})
    ->ArgsProduct({{3, 100}, {4, 16, 64}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

/// Read back each time: the time is the whole of it.
void top_entities_wn18rr_gpu(benchmark::State& state) {
  if (!cuda_is_available()) return state.SkipWithError("no GPU");
  const Batch batch(torch::kCUDA);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        top_entities(batch.queries, batch.entities, batch.excluded, 3, std::int64_t{1} << 30).cpu());
  }
  batch.count(state);
}
BENCHMARK(top_entities_wn18rr_gpu)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hasa
