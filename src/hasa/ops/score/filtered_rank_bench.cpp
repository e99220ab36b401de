#include <benchmark/benchmark.h>

#include <algorithm>

#include "hasa/ops/score/filtered_rank.h"
#include "hasa/ops/score/full_scores.h"

namespace hasa {
namespace {

/// WN18RR's test queries among its entities, d = 500: the rate of the product is the roof.
void rank_wn18rr(benchmark::State& state) {
  const std::int64_t queries = 6268, entities = 40943, dim = 500, known_each = 3;
  const torch::Tensor q = torch::randn({queries, dim}), e = torch::randn({entities, dim});
  const torch::Tensor targets = torch::randint(entities, {queries}, torch::kInt64);
  const torch::Tensor first = torch::randint(entities - known_each, {queries, 1}, torch::kInt64);
  const IdRanges known =
      RaggedIds{(first + torch::arange(known_each)).flatten(), torch::arange(queries + 1) * known_each}.ranges();
  for (auto _ : state) {
    for (std::int64_t first = 0; first < queries; first += 2048) {
      const std::int64_t last = std::min(queries, first + 2048);
      benchmark::DoNotOptimize(rank_from_scores(full_scores(q.slice(0, first, last), e), targets.slice(0, first, last),
                                                known.slice(first, last)));
    }
  }
  state.counters["FLOP/s"] = benchmark::Counter(
      2.0 * queries * entities * dim, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}
BENCHMARK(rank_wn18rr)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The counting alone: 256 rows of scores, each read once.
void rank_given_scores(benchmark::State& state) {
  const std::int64_t queries = 256, entities = 40943;
  const torch::Tensor scores = torch::randn({queries, entities});
  const torch::Tensor targets = torch::randint(entities, {queries}, torch::kInt64);
  const IdRanges known =
      RaggedIds{torch::empty({0}, torch::kInt64), torch::zeros({queries + 1}, torch::kInt64)}.ranges();
  for (auto _ : state) benchmark::DoNotOptimize(rank_from_scores(scores, targets, known).better);
  state.SetBytesProcessed(state.iterations() * scores.numel() * static_cast<std::int64_t>(sizeof(float)));
}
BENCHMARK(rank_given_scores)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hasa
