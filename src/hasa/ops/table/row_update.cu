#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/core/random_rounding.h"
#include "hasa/ops/score/similarity_terms.h"
#include "hasa/ops/table/row_update_kernels.h"
#include "hasa/ops/table/table_rows.cuh"

// Rows in order of their ids. A first kernel notes where each row's tokens begin, in any order, since rows do not touch
// each other; then each warp takes a row: a lane adds up some places of the gradient in registers and changes them. No
// atomics on gradients: their order is fixed. With 1,024 queries of 257 candidates the queries' 2 MB stay in the second
// cache, and the table with its two moments, 0.5 GB read and written for 40,000 rows of 500, sets the pace.

namespace hasa::kernels {
namespace {

constexpr unsigned kAllLanes = 0xffffffffU;
constexpr int kUpdateThreads = 256;
constexpr int kRowsOfBlock = kUpdateThreads / kWarp;

__global__ void starts_kernel(RowUpdate pass) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kUpdateThreads + threadIdx.x;
  const bool begins = i < pass.tokens && (i == 0 || pass.sorted[i] != pass.sorted[i - 1]);
  const unsigned flags = __ballot_sync(kAllLanes, begins);
  const unsigned lane = threadIdx.x % kWarp;
  int base = 0;
  if (lane == 0 && flags != 0) base = atomicAdd(pass.starts, __popc(flags));
  base = __shfl_sync(kAllLanes, base, 0);
  if (begins) pass.starts[1 + base + __popc(flags & ((1U << lane) - 1))] = static_cast<std::int32_t>(i);
}

/// Some tokens of a row, one in each lane.
struct TokenOfLane {
  const float* row;   // what it adds, or what it is compared with
  float coefficient;  // of the comparison
  int count;          // tokens in all lanes, the first of them
  unsigned compared;  // lanes whose token is a sampled one

  /// Those from `first` on that name `id`.
  __device__ TokenOfLane(const RowUpdate& pass, std::int64_t first, std::int32_t id) : row(nullptr), coefficient(0) {
    const std::int64_t i = first + threadIdx.x % kWarp;
    const bool named = i < pass.tokens && pass.sorted[i] == id;
    bool sampled = false;
    if (named) {
      const std::int64_t token = pass.order[i];
      sampled = token < pass.sampled;
      row = sampled ? pass.queries + token / pass.columns * pass.dim : pass.direct + (token - pass.sampled) * pass.dim;
      if (sampled) coefficient = pass.coefficients[token];
    }
    count = __popc(__ballot_sync(kAllLanes, named));
    compared = __ballot_sync(kAllLanes, sampled);
  }
};

template <int kWidth>
__device__ void store(const float (&from)[kWidth], float* to) {
  if constexpr (kWidth == 4) {
    *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
  } else {
    *to = from[0];
  }
}

/// A draw by a place that is only known as the kernel runs; the words stay in registers.
__device__ std::uint32_t draw_at(const EightDraws& draws, int i) {
  const std::uint32_t low = (i & 2) != 0 ? draws.words[1] : draws.words[0];
  const std::uint32_t high = (i & 2) != 0 ? draws.words[3] : draws.words[2];
  return ((i & 4) != 0 ? high : low) >> (16 * (i & 1)) & 0xffffU;
}

/// Numbers `at` and its neighbours of a row of the table.
template <int kWidth>
__device__ void put(const RowUpdate&, const float (&from)[kWidth], float* row, std::int32_t, int at) {
  store(from, row + at);
}
template <int kWidth>
__device__ void put(const RowUpdate& pass, const float (&from)[kWidth], BFloat16* row, std::int32_t id, int at) {
  const EightDraws draws = philox(rounding_counter(pass.first_row + id, at, pass.dim), pass.seed);
  std::uint32_t bits[kWidth];
#pragma unroll
  for (int k = 0; k < kWidth; ++k) bits[k] = rounded_at_random(__float_as_uint(from[k]), draw_at(draws, at % 8 + k));
  if constexpr (kWidth == 4) {
    *reinterpret_cast<uint2*>(row + at) = make_uint2(bits[0] | bits[1] << 16, bits[2] | bits[3] << 16);
  } else {
    *reinterpret_cast<unsigned short*>(row + at) = static_cast<unsigned short>(bits[0]);
  }
}

/// The change of one number over the rate, adam and adagrad.
__device__ float step_of(const RowUpdate& pass, float gradient, float& square, float& mean) {
  if (pass.rule == RowRule::adagrad) {
    square += gradient * gradient;
    return gradient / (sqrtf(square) + kRuleEpsilon);
  }
  constexpr auto kMean = static_cast<float>(kAdamMean), kSquare = static_cast<float>(kAdamSquare);
  mean = mean * kMean + gradient * (1 - kMean);
  square = square * kSquare + gradient * gradient * (1 - kSquare);
  return mean / (sqrtf(square * pass.square_correction) + kAdamEpsilon);
}

/// What a warp has of a row in registers at a time: kPlaces places from `base` on, for complex numbers both parts.
template <class Terms, int kWidth>
struct RowPart {
  static constexpr int kParts = Terms::kParts;
  static constexpr int kGroups = 4 / kParts;  // of neighbouring places that a lane has
  static constexpr int kPlaces = kGroups * kWarp * kWidth;
  float x[kGroups][kParts][kWidth] = {};    // the row's numbers
  float sum[kGroups][kParts][kWidth] = {};  // their gradient

  static __device__ int place(int base, int group) {
    return base + (group * kWarp + static_cast<int>(threadIdx.x) % kWarp) * kWidth;
  }

  template <class Number>
  __device__ RowPart(const RowUpdate& pass, const Number* row, std::int64_t begin, std::int32_t id, int base) {
    const int half = static_cast<int>(pass.dim) / kParts;
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        if (place(base, group) < half) load(row + part * half + place(base, group), x[group][part]);
      }
    }
    for (std::int64_t first = begin;; first += kWarp) {
      const TokenOfLane token(pass, first, id);
#pragma unroll 2
      for (int lane = 0; lane < token.count; ++lane) {
        add(reinterpret_cast<const float*>(__shfl_sync(kAllLanes, reinterpret_cast<std::uintptr_t>(token.row), lane)),
            __shfl_sync(kAllLanes, token.coefficient, lane), (token.compared >> lane & 1U) != 0, half, base);
      }
      if (token.count < kWarp) return;
    }
  }

  __device__ void add(const float* other, float coefficient, bool compared, int half, int base) {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      const int at = place(base, group);
      if (at >= half) continue;
      float y[kParts][kWidth];
#pragma unroll
      for (int part = 0; part < kParts; ++part) load(other + part * half + at, y[part]);
#pragma unroll
      for (int k = 0; k < kWidth; ++k) {
        float mine[kParts], its[kParts], more[kParts] = {};
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
          mine[part] = x[group][part][k];
          its[part] = y[part][k];
        }
        if (compared) Terms::add_slope(mine, its, coefficient, more);
#pragma unroll
        for (int part = 0; part < kParts; ++part) sum[group][part][k] += compared ? more[part] : its[part];
      }
    }
  }

  /// Calls body(numbers, gradient, where) for every kWidth places of the lane.
  template <class Body>
  __device__ void each(int half, int base, const Body& body) {
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      if (place(base, group) >= half) continue;
#pragma unroll
      for (int part = 0; part < kParts; ++part)
        body(x[group][part], sum[group][part], part * half + place(base, group));
    }
  }
};

template <class Terms, int kWidth, class Number>
__device__ void update_by_number(const RowUpdate& pass, std::int64_t begin, std::int32_t id) {
  using Part = RowPart<Terms, kWidth>;
  const std::int64_t first = id * pass.dim;
  Number* row = static_cast<Number*>(pass.table) + first;
  const int half = static_cast<int>(pass.dim) / Terms::kParts;
  for (int base = 0; base < half; base += Part::kPlaces) {
    Part part(pass, row, begin, id, base);
    part.each(half, base, [&](float (&x)[kWidth], const float (&gradient)[kWidth], int at) {
      float square[kWidth], mean[kWidth] = {};
      load(pass.squares + first + at, square);
      if (pass.rule == RowRule::adam) load(pass.means + first + at, mean);
#pragma unroll
      for (int k = 0; k < kWidth; ++k)
        x[k] = x[k] * pass.shrink - pass.rate * step_of(pass, gradient[k], square[k], mean[k]);
      store(square, pass.squares + first + at);
      if (pass.rule == RowRule::adam) store(mean, pass.means + first + at);
      put(pass, x, row, id, at);
    });
  }
}

/// The step of every number depends on the whole row's gradient, which for long rows is added up twice.
template <class Terms, int kWidth, class Number>
__device__ void update_by_row(const RowUpdate& pass, std::int64_t begin, std::int32_t id) {
  using Part = RowPart<Terms, kWidth>;
  Number* row = static_cast<Number*>(pass.table) + id * pass.dim;
  const int half = static_cast<int>(pass.dim) / Terms::kParts;
  float squares = 0;
  const auto add_squares = [&](float (&)[kWidth], const float (&gradient)[kWidth], int) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) squares += gradient[k] * gradient[k];
  };
  Part last(pass, row, begin, id, 0);
  last.each(half, 0, add_squares);
  for (int base = Part::kPlaces; base < half; base += Part::kPlaces)
    Part(pass, row, begin, id, base).each(half, base, add_squares);
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) squares += __shfl_xor_sync(kAllLanes, squares, step);
  const float square = pass.squares[id] + squares / static_cast<float>(pass.dim);
  const float rate = pass.rate / (sqrtf(square) + kRuleEpsilon);
  const auto apply = [&](float (&x)[kWidth], const float (&gradient)[kWidth], int at) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) x[k] = x[k] * pass.shrink - rate * gradient[k];
    put(pass, x, row, id, at);
  };
  last.each(half, 0, apply);
  for (int base = Part::kPlaces; base < half; base += Part::kPlaces)
    Part(pass, row, begin, id, base).each(half, base, apply);
  __syncwarp();  // everyone has read the square
  if (threadIdx.x % kWarp == 0) pass.squares[id] = square;
}

template <class Terms, int kWidth, class Number>
__global__ __launch_bounds__(kUpdateThreads) void update_kernel(RowUpdate pass) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kRowsOfBlock + threadIdx.x / kWarp;
  if (k >= pass.starts[0]) return;
  const std::int64_t begin = pass.starts[1 + k];
  const std::int32_t id = pass.sorted[begin];
  if (pass.rule == RowRule::row_adagrad) {
    update_by_row<Terms, kWidth, Number>(pass, begin, id);
  } else {
    update_by_number<Terms, kWidth, Number>(pass, begin, id);
  }
}

template <class Terms, int kWidth>
void launch_update(const RowUpdate& pass, void* stream) {
  const std::int64_t most = pass.tokens < pass.rows ? pass.tokens : pass.rows;
  const auto kernel = pass.is_bfloat16 ? update_kernel<Terms, kWidth, BFloat16> : update_kernel<Terms, kWidth, float>;
  launch(kernel, {blocks_for(most, kRowsOfBlock), kUpdateThreads}, stream, pass);
}

}  // namespace

void update_rows_cuda(const RowUpdate& pass, void* stream) {
  launch(starts_kernel, {blocks_for(pass.tokens, kUpdateThreads), kUpdateThreads}, stream, pass);
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    if (pass.dim / Terms::kParts % 4 == 0) {
      launch_update<Terms, 4>(pass, stream);
    } else {
      launch_update<Terms, 1>(pass, stream);
    }
  });
}

}  // namespace hasa::kernels
