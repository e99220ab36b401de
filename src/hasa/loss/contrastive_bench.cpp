#include <benchmark/benchmark.h>

#include "hasa/loss/contrastive.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

/// A batch's queries against five times as many candidates, forward and back; bytes are those of the scores.
void contrastive_step(benchmark::State& state, const ContrastiveConfig& config) {
  const torch::Device device(cuda_is_available() ? torch::kCUDA : torch::kCPU);
  const std::int64_t queries = state.range(0), columns = 5 * queries;
  ContrastiveBatch batch;
  batch.scores = (torch::randn({queries, columns}) * 10).to(device).requires_grad_();
  batch.positive = torch::arange(queries, device);
  batch.negative = torch::ones({queries, columns}, torch::kBool).fill_diagonal_(false).to(device);
  batch.margin = torch::scalar_tensor(0.4, torch::TensorOptions(device).dtype(torch::kFloat32));
  batch.neighbours = torch::randint(columns, {queries, 3}, torch::kInt64).to(device);
  float seen = 0;
  for (auto _ : state) {
    contrastive_loss(batch, config).loss.backward();
    seen += batch.scores.grad()[0][0].item<float>();  // synchronises with the device
    batch.scores.mutable_grad() = torch::Tensor();
  }
  benchmark::DoNotOptimize(seen);
  state.SetBytesProcessed(state.iterations() * batch.scores.numel() * static_cast<std::int64_t>(sizeof(float)));
}
BENCHMARK_CAPTURE(contrastive_step, simple_plus, {.kind = ContrastiveKind::simple})
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(contrastive_step, hasa_plus, {.kind = ContrastiveKind::hasa, .beta = 1})
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace hasa
