#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <benchmark/benchmark.h>

#include <cmath>

#include "hasa/ops/encoder/packed_attention.h"

namespace hasa {
namespace {

/// MiniLM's heads on one core; texts of about WN18RR's length, or long ones. Each token and head takes
/// 4 * length * 32 operations beside the exponentials: flops is what the wall clock says of those.
void attention(benchmark::State& state, torch::Dtype dtype) {
  const at::NoGradGuard no_gradients;
  at::set_num_threads(1);
  const std::int64_t length = state.range(0), texts = 1024 / length, heads = 12, size = 32;
  const torch::Tensor qkv = torch::randn({texts * length, 3, heads, size}).to(dtype);
  const PackedTexts packed{(torch::arange(texts + 1) * length).to(torch::kInt32), length};
  AttentionOptions options;
  options.scale = 1 / std::sqrt(static_cast<double>(size));
  for (auto _ : state) {
    benchmark::DoNotOptimize(packed_attention(qkv.select(1, 0), qkv.select(1, 1), qkv.select(1, 2), packed, options));
  }
  const double operations = 4.0 * static_cast<double>(texts * length * length * heads * size);
  state.counters["flops"] = benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["tokens"] =
      benchmark::Counter(static_cast<double>(texts * length), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(attention, float32, torch::kFloat32)->Arg(21)->Arg(40)->Arg(128)->Arg(512);
BENCHMARK_CAPTURE(attention, bfloat16, torch::kBFloat16)->Arg(21)->Arg(40)->Arg(128)->Arg(512);

}  // namespace
}  // namespace hasa
