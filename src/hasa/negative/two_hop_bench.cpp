// How fast entities within two steps are drawn. FB15k-237 is read from $HASA_DATA; the large graph is synthetic
// (HASA_BENCH_TRIPLES sets its size).

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/synthetic.h"
#include "hasa/negative/two_hop.h"

namespace hasa {
namespace {

constexpr std::size_t kHeads = 1024, kSamples = 3;

std::optional<Adjacency> fb15k() {
  const char* data = std::getenv("HASA_DATA");
  if (data == nullptr) return std::nullopt;
  return Adjacency(read_benchmark(std::filesystem::path(data) / "FB15k-237"));
}

const Adjacency& large() {
  static const Adjacency adjacency = [] {
    const char* size = std::getenv("HASA_BENCH_TRIPLES");
    SyntheticOptions options;
    options.triples = size == nullptr ? 20'000'000 : std::strtoull(size, nullptr, 10);
    options.entities = options.triples / 4;
    options.relations = 500;
    options.groups = 1000;
    std::vector<Triple> triples;
    triples.reserve(options.triples);
    for_each_synthetic(options, [&](const Triple& triple) { triples.push_back(triple); });
    return Adjacency(triples, static_cast<EntityId>(options.entities), static_cast<RelationId>(options.relations));
  }();
  return adjacency;
}

/// Heads of random triples and their inverses, as training meets them: hubs come often. A new batch each time.
void sample_batches(benchmark::State& state, const Adjacency& adjacency, TwoHopSampler::Proposal proposal) {
  const TwoHopSampler sampler(adjacency);
  std::vector<EntityId> heads(kHeads), samples(kHeads * kSamples);
  Rng rng(1);
  std::uint64_t seed = 0;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    for (EntityId& head : heads) head = adjacency.all_edges()[rng.below(adjacency.num_edges())].neighbour;
    state.ResumeTiming();
    sampler.sample(heads, kSamples, ++seed, samples, proposal);
    benchmark::DoNotOptimize(samples.data());
  }
  state.counters["MB"] = static_cast<double>(sampler.bytes()) / 1e6;
}

void sample_fb15k(benchmark::State& state, TwoHopSampler::Proposal proposal) {
  const std::optional<Adjacency> adjacency = fb15k();
  if (!adjacency) return state.SkipWithError("HASA_DATA is not set to the folder of benchmark graphs");
  sample_batches(state, *adjacency, proposal);
}
BENCHMARK_CAPTURE(sample_fb15k, cheaper, TwoHopSampler::Proposal::cheaper)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(sample_fb15k, paths, TwoHopSampler::Proposal::paths)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(sample_fb15k, entities, TwoHopSampler::Proposal::entities)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

void build_fb15k(benchmark::State& state) {
  const std::optional<Adjacency> adjacency = fb15k();
  if (!adjacency) return state.SkipWithError("HASA_DATA is not set to the folder of benchmark graphs");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(TwoHopSampler(*adjacency).bytes());
}
BENCHMARK(build_fb15k)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void build_large(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(TwoHopSampler(large()).bytes());
}
BENCHMARK(build_large)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

void sample_large(benchmark::State& state) { sample_batches(state, large(), TwoHopSampler::Proposal::cheaper); }
BENCHMARK(sample_large)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace hasa
