#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <cmath>

#include "hasa/ops/core/device.h"
#include "hasa/ops/encoder/bias_gelu.h"
#include "hasa/ops/encoder/dropout_add_layer_norm.h"
#include "hasa/ops/encoder/embed_layer_norm.h"
#include "hasa/ops/table/table_gradient.h"

// What stands between the matrix products of a training encoder, beside torch's own operations in the same run:
// 120,000 tokens of bert-base in bfloat16 on a GPU, 1,000 in float32 on a CPU. "of_HBM" is the share of an H200's
// 4.8 TB/s, counting the bytes the fused passes must read and write; torch's operations move more for the same.

namespace hasa {
namespace {

using torch::Tensor;

constexpr double kBytesPerSecond = 4.8e12;
constexpr int kRepeats = 20;
constexpr double kEps = 1e-12;
const SeededDropout kDropout{0.1, 7};

std::int64_t tokens() { return cuda_is_available() ? 120000 : 1000; }
torch::TensorOptions options() {
  return cuda_is_available() ? torch::TensorOptions(torch::kCUDA).dtype(torch::kBFloat16) : torch::kFloat32;
}
double element() { return static_cast<double>(c10::elementSize(c10::typeMetaToScalarType(options().dtype()))); }
Tensor random(at::IntArrayRef shape) { return torch::randn(shape, options()); }
Tensor leaf(at::IntArrayRef shape) { return random(shape).requires_grad_(); }

/// Calls step() again and again; it returns a tensor of its results, which is waited for.
template <class Step>
void time(benchmark::State& state, double bytes, const Step& step) {
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

struct Norm {
  std::int64_t width;
  Tensor x = leaf({tokens(), width}), residual = leaf({tokens(), width}), grad = random({tokens(), width});
  Tensor linear_bias = leaf({width}), weight = leaf({width}), bias = leaf({width});

  double bytes(int tensors) const { return element() * static_cast<double>(tokens() * width) * tensors; }
  Tensor backward(const Tensor& out) const {
    return torch::autograd::grad({out}, {x, residual, linear_bias, weight, bias}, {grad})[0];
  }
};

void norm_forward(benchmark::State& state) {
  const Norm n{state.range(0)};
  const torch::NoGradGuard none;
  time(state, n.bytes(4), [&] {
    return dropout_add_layer_norm_forward(n.x, n.linear_bias, n.residual, n.weight, n.bias, kEps, kDropout, true).out;
  });
}
void norm_backward(benchmark::State& state) {
  const Norm n{state.range(0)};
  const torch::NoGradGuard none;
  const NormedSum done =
      dropout_add_layer_norm_forward(n.x, n.linear_bias, n.residual, n.weight, n.bias, kEps, kDropout, true);
  time(state, n.bytes(4),
       [&] { return dropout_add_layer_norm_backward(n.grad, done, n.weight, n.bias, kDropout, true).x; });
}
void norm_both(benchmark::State& state) {
  const Norm n{state.range(0)};
  time(state, n.bytes(8), [&] {
    return n.backward(dropout_add_layer_norm(n.x, n.linear_bias, n.residual, n.weight, n.bias, kEps, kDropout));
  });
}
void norm_both_torch(benchmark::State& state) {
  const Norm n{state.range(0)};
  time(state, n.bytes(8), [&] {
    const Tensor sum = at::dropout(n.x + n.linear_bias, 0.1, true) + n.residual;
    return n.backward(at::layer_norm(sum, {n.width}, n.weight, n.bias, kEps));
  });
}

struct Gelu {
  std::int64_t width = 3072;
  Tensor x = leaf({tokens(), width}), grad = random({tokens(), width}), bias = leaf({width});

  double bytes(int tensors) const { return element() * static_cast<double>(tokens() * width) * tensors; }
  Tensor backward(const Tensor& out) const { return torch::autograd::grad({out}, {x, bias}, {grad})[0]; }
};

void gelu_forward(benchmark::State& state) {
  const Gelu g;
  const torch::NoGradGuard none;
  time(state, g.bytes(2), [&] { return bias_gelu_forward(g.x, g.bias); });
}
void gelu_backward(benchmark::State& state) {
  const Gelu g;
  const torch::NoGradGuard none;
  time(state, g.bytes(3), [&] { return bias_gelu_backward(g.grad, g.x, g.bias).x; });
}
void gelu_both(benchmark::State& state) {
  const Gelu g;
  time(state, g.bytes(5), [&] { return g.backward(bias_gelu(g.x, g.bias)); });
}
void gelu_both_torch(benchmark::State& state) {
  const Gelu g;
  time(state, g.bytes(5), [&] { return g.backward(at::gelu(g.x + g.bias)); });
}

/// Texts of 40 tokens: a word at each end, and words between them whose frequencies fall off as language's do.
struct Embedding {
  std::int64_t width = 768, length = 40;
  EmbeddingTables tables{leaf({30522, width}), leaf({512, width}), leaf({2, width})};
  Tensor weight = leaf({width}), bias = leaf({width}), grad = random({tokens(), width});
  EmbeddingIds ids;

  Embedding() {
    const auto ints = options().dtype(torch::kInt64);
    const Tensor spread = torch::rand({tokens()}, options().dtype(torch::kFloat32));
    ids.positions = torch::arange(tokens(), ints).remainder(length);
    ids.words = (torch::exp(spread * std::log(30000.0)) + 100).to(torch::kInt64);
    ids.words.masked_fill_(ids.positions == 0, 101).masked_fill_(ids.positions == length - 1, 102);
  }
  // Forward: rows of words (positions and segments stay in the cache) in, results out. Backward: gradients, words,
  // gradients of the sum written once and read twice, and a table written.
  double bytes(int tensors) const {
    return element() * static_cast<double>(width) * static_cast<double>(tokens() * tensors);
  }
  double table_bytes() const { return element() * static_cast<double>(width) * 30522; }
  Tensor backward(const Tensor& out) const {
    return torch::autograd::grad({out}, {tables.words, tables.positions, tables.segments, weight, bias}, {grad})[0];
  }
};

void embed_forward(benchmark::State& state) {
  const Embedding e;
  const torch::NoGradGuard none;
  time(state, e.bytes(2), [&] { return embed_layer_norm(e.tables, e.ids, e.weight, e.bias, kEps, kDropout); });
}
void embed_both(benchmark::State& state) {
  const Embedding e;
  time(state, e.bytes(7) + e.table_bytes(),
       [&] { return e.backward(embed_layer_norm(e.tables, e.ids, e.weight, e.bias, kEps, kDropout)); });
}
void embed_both_torch(benchmark::State& state) {
  const Embedding e;
  time(state, e.bytes(7) + e.table_bytes(), [&] {
    const Tensor place = at::embedding(e.tables.positions, e.ids.positions) + e.tables.segments.select(0, 0);
    const Tensor sum = at::embedding(e.tables.words, e.ids.words) + place;
    return e.backward(at::dropout(at::layer_norm(sum, {e.width}, e.weight, e.bias, kEps), 0.1, true));
  });
}
void word_table(benchmark::State& state) {
  const Embedding e;
  time(state, e.bytes(1) + e.table_bytes(), [&] { return table_gradient(e.grad, e.ids.words, 30522); });
}
void word_table_torch(benchmark::State& state) {
  const Embedding e;
  time(state, e.bytes(1) + e.table_bytes(),
       [&] { return at::embedding_dense_backward(e.grad, e.ids.words, 30522, -1, false); });
}
void position_table(benchmark::State& state) {
  const Embedding e;
  time(state, e.bytes(1), [&] { return table_gradient(e.grad, e.ids.positions, 512); });
}
void position_table_torch(benchmark::State& state) {
  const Embedding e;
  time(state, e.bytes(1), [&] { return at::embedding_dense_backward(e.grad, e.ids.positions, 512, -1, false); });
}

void measured(benchmark::internal::Benchmark* b) { b->Unit(benchmark::kMicrosecond)->UseManualTime()->Iterations(5); }
void widths(benchmark::internal::Benchmark* b) {
  measured(b);
  b->Arg(384)->Arg(768)->Arg(1024);
}
BENCHMARK(norm_forward)->Apply(widths);
BENCHMARK(norm_backward)->Apply(widths);
BENCHMARK(norm_both)->Apply(widths);
BENCHMARK(norm_both_torch)->Apply(widths);
BENCHMARK(gelu_forward)->Apply(measured);
BENCHMARK(gelu_backward)->Apply(measured);
BENCHMARK(gelu_both)->Apply(measured);
BENCHMARK(gelu_both_torch)->Apply(measured);
BENCHMARK(embed_forward)->Apply(measured);
BENCHMARK(embed_both)->Apply(measured);
BENCHMARK(embed_both_torch)->Apply(measured);
BENCHMARK(word_table)->Apply(measured);
BENCHMARK(word_table_torch)->Apply(measured);
BENCHMARK(position_table)->Apply(measured);
BENCHMARK(position_table_torch)->Apply(measured);

}  // namespace
}  // namespace hasa
