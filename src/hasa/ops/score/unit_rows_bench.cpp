#include <benchmark/benchmark.h>

#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

/// The states of WN18RR's entities, forward and back; a width of 250 has a rest that fills no vector.
void unit_rows_step(benchmark::State& state) {
  const torch::Tensor x = torch::randn({40943, state.range(0)}).requires_grad_(), direction = torch::randn_like(x);
  for (auto _ : state) {
    unit_rows(x).backward(direction);
    x.mutable_grad() = torch::Tensor();
  }
  state.SetBytesProcessed(state.iterations() * 5 * x.numel() * static_cast<std::int64_t>(sizeof(float)));
}
BENCHMARK(unit_rows_step)->Arg(256)->Arg(250)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hasa
