#include "hasa/ops/encoder/qkv_attention.h"

#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/stack.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hasa/ops/core/device.h"

// Attention of a training encoder, 12 heads: on a GPU 123,000 tokens in bfloat16, beside ATen's flash kernels in the
// same run; on a CPU 1,000 in float32. "of_HBM" is the share of an H200's 4.8 TB/s, counting each value that must be
// read or written once.

namespace hasa {
namespace {

using torch::Tensor;

constexpr double kBytesPerSecond = 4.8e12;
constexpr int kRepeats = 20;

/// Texts of 10 to `longest` tokens, normal around the mean.
struct Texts {
  std::int64_t size, tokens = 0;
  PackedTexts packed;
  Tensor qkv, grad_out;
  double scale;

  Texts(std::int64_t head_size, double mean, double deviation, int longest) : size(head_size) {
    at::manual_seed(7);
    const int wanted = cuda_is_available() ? 123000 : 1000;
    const Tensor lengths = (torch::randn({wanted / 10}) * deviation + mean).clamp(10, longest).to(torch::kInt32);
    std::vector<std::int32_t> offsets = {0};
    for (std::int64_t i = 0; offsets.back() < wanted; ++i) {
      const auto length = lengths[i].item<std::int32_t>();
      offsets.push_back(offsets.back() + length);
      packed.longest = std::max<std::int64_t>(packed.longest, length);
    }
    tokens = offsets.back();
    const auto options = cuda_is_available() ? torch::TensorOptions(torch::kCUDA).dtype(torch::kBFloat16)
                                             : torch::TensorOptions(torch::kFloat32);
    packed.offsets = torch::tensor(offsets, torch::kInt32).to(options.device());
    qkv = torch::randn({tokens, 3, 12, size}, options);
    grad_out = torch::randn({tokens, 12, size}, options);
    scale = 1 / std::sqrt(static_cast<double>(size));
  }
  explicit Texts(const benchmark::State& state)
      : Texts(state.range(0), static_cast<double>(state.range(1)), static_cast<double>(state.range(2)),
              static_cast<int>(state.range(3))) {}

  double bytes(int tensors) const { return static_cast<double>(grad_out.nbytes()) * tensors; }
};

/// Calls step() again and again; it returns a tensor of its results, which is waited for.
template <class Step>
void time(benchmark::State& state, double bytes, const Step& step) {
  const torch::NoGradGuard none;
  const auto finish = [](const Tensor& t) { (void)t.flatten().slice(0, 0, 1).cpu(); };
  finish(step());
  const int repeats = cuda_is_available() ? kRepeats : 1;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    Tensor last;
    for (int i = 0; i < repeats; ++i) last = step();
    finish(last);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats);
  }
  const double total = bytes * static_cast<double>(state.iterations());
  state.counters["GB/s"] = benchmark::Counter(total / 1e9, benchmark::Counter::kIsRate);
  state.counters["of_HBM"] = benchmark::Counter(total / kBytesPerSecond, benchmark::Counter::kIsRate);
}

void qkv_forward(benchmark::State& state) {
  const Texts t(state);
  time(state, t.bytes(4), [&] { return qkv_attention_forward(t.qkv, t.packed, t.scale).out; });
}

void qkv_backward(benchmark::State& state) {
  const Texts t(state);
  const QkvAttention forward = qkv_attention_forward(t.qkv, t.packed, t.scale);
  time(state, t.bytes(8), [&] { return qkv_attention_backward(t.grad_out, t.qkv, forward, t.packed, t.scale); });
}

auto flash(const Texts& t) {
  return at::_flash_attention_forward(t.qkv.select(1, 0), t.qkv.select(1, 1), t.qkv.select(1, 2), t.packed.offsets,
                                      t.packed.offsets, t.packed.longest, t.packed.longest, 0.0, false, false, t.scale);
}

void flash_forward(benchmark::State& state) {
  if (!cuda_is_available()) return state.SkipWithError("no GPU");
  const Texts t(state);
  time(state, t.bytes(4), [&] { return std::get<0>(flash(t)); });
}

void flash_backward(benchmark::State& state) {
  if (!cuda_is_available()) return state.SkipWithError("no GPU");
  const Texts t(state);
  const auto [out, lse, random_state, unused, mask] = flash(t);
  time(state, t.bytes(8), [&, &out = out, &lse = lse, &random_state = random_state, &unused = unused] {
    const auto [q, k, v] = at::_flash_attention_backward(
        t.grad_out, t.qkv.select(1, 0), t.qkv.select(1, 1), t.qkv.select(1, 2), out, lse, t.packed.offsets,
        t.packed.offsets, t.packed.longest, t.packed.longest, 0.0, false, random_state, unused, t.scale);
    return at::stack({q, k, v}, 1);
  });
}

void texts(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kMicrosecond)->UseManualTime()->Iterations(5);
  b->ArgNames({"size", "mean", "deviation", "longest"});
  b->Args({64, 54, 15, 90})->Args({64, 54, 25, 128})->Args({64, 21, 8, 40})->Args({32, 54, 15, 90});
}
BENCHMARK(qkv_forward)->Apply(texts);
BENCHMARK(flash_forward)->Apply(texts);
BENCHMARK(qkv_backward)->Apply(texts);
BENCHMARK(flash_backward)->Apply(texts);

}  // namespace
}  // namespace hasa
