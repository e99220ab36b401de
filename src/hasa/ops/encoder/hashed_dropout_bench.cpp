#include <benchmark/benchmark.h>

#include "hasa/ops/encoder/hashed_dropout.h"

namespace hasa {
namespace {

/// The states of WN18RR's entities, forward and back: a row is read and written once in each direction.
void hashed_dropout_step(benchmark::State& state) {
  const torch::Tensor x = torch::randn({40943, 256}).requires_grad_(), direction = torch::randn({40943, 256});
  for (auto _ : state) {
    hashed_dropout(x, 0.1, true).backward(direction);
    x.mutable_grad() = torch::Tensor();
  }
  state.SetBytesProcessed(state.iterations() * 4 * x.numel() * static_cast<std::int64_t>(sizeof(float)));
}
BENCHMARK(hashed_dropout_step)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hasa
