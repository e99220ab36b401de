#include "hasa/ops/encoder/hashed_dropout.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

#include "hasa/base/error.h"
#include "hasa/ops/core/cpu_vector.h"

namespace hasa {
namespace {

constexpr std::int64_t kGrain = 1 << 15;

/// A permutation of 32-bit words that leaves no trace of its input's order.
[[gnu::always_inline]] inline cpu::Unsigned scrambled(cpu::Unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

struct Draw {
  std::uint32_t low, high;  // of the seed
  std::uint32_t threshold;
  float scale;
};

/// out = x where the hash of position and seed is at least the threshold, scaled; else 0.
[[gnu::always_inline]] inline void drop(const float* x, float* out, std::int64_t begin, std::int64_t end,
                                        const Draw& draw) {
  cpu::Unsigned position{};
  for (std::uint32_t lane = 0; lane < cpu::kLanes; ++lane) position[lane] = lane;
  cpu::for_each_vector(end - begin, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const std::int64_t at = begin + i;
    const cpu::Unsigned word = scrambled(scrambled(position + (static_cast<std::uint32_t>(at) + draw.low)) ^ draw.high);
    const cpu::Vector kept = word >= draw.threshold ? cpu::load(x + at, count) * draw.scale : cpu::Vector{};
    cpu::store(out + at, kept, count);
  });
}

torch::Tensor dropped(const torch::Tensor& x_in, double share, std::int64_t seed) {
  const torch::Tensor x = x_in.contiguous();
  torch::Tensor out = torch::empty_like(x);
  const Draw draw{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(static_cast<std::uint64_t>(seed) >> 32),
                  static_cast<std::uint32_t>(share * 4294967296.0), static_cast<float>(1 / (1 - share))};
  const float* from = x.const_data_ptr<float>();
  float* to = out.data_ptr<float>();
  at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) { drop(from, to, begin, end, draw); });
  });
  return out;
}

struct Dropout : torch::autograd::Function<Dropout> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double share,
                               std::int64_t seed) {
    context->saved_data["share"] = share;
    context->saved_data["seed"] = seed;
    return dropped(x, share, seed);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    return {dropped(grads[0], context->saved_data["share"].toDouble(), context->saved_data["seed"].toInt()), {}, {}};
  }
};

}  // namespace

torch::Tensor hashed_dropout(const torch::Tensor& x, double share, bool training, std::int64_t first) {
  HASA_CHECK(share >= 0 && share < 1, shape, "hashed_dropout: a share of {} is not from 0 to 1", share);
  if (!training || share == 0) return x;
  if (!x.is_cpu() || x.scalar_type() != torch::kFloat32) return torch::dropout(x, share, training);
  const auto seed = torch::randint(std::numeric_limits<std::int64_t>::max(), {1}, torch::kInt64).item<std::int64_t>();
  // Positions are added to the lower half of the seed.
  const auto bits = static_cast<std::uint64_t>(seed);
  const std::uint64_t from =
      (bits & ~std::uint64_t{0xffffffff}) | static_cast<std::uint32_t>(bits + static_cast<std::uint64_t>(first));
  return Dropout::apply(x, share, static_cast<std::int64_t>(from));
}

}  // namespace hasa
