#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/score/similarity_terms.h"
#include "hasa/ops/table/row_loss_terms.h"
#include "hasa/ops/table/sampled_loss_kernels.h"
#include "hasa/ops/table/table_rows.cuh"

// A block for each query. Its warps gather and score the candidates, a candidate each at a time; the block turns the
// scores into slopes; then each thread takes places of the query and goes over the candidates again, most of which the
// cache still has, for the query's gradient. A step of 1,024 queries with 256 rivals of 500 floats reads 0.53 GB for
// the scores and as much for the gradients: 0.2 to 0.3 ms at the memory of an H200. Of bfloat16 numbers, half as much;
// a lane then reads four at a time for the scores, and two for the gradient, where the width of the rows allows it.

namespace hasa::kernels {
namespace {

constexpr int kSampledThreads = 256;
constexpr int kWarps = kSampledThreads / kWarp;

template <class Combine>
__device__ float over_warp(float x, const Combine& combine) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) x = combine(x, __shfl_xor_sync(0xffffffffU, x, step));
  return x;
}

/// The same result in all threads of the block; `scratch` is free again afterwards.
template <class Combine>
__device__ float over_block(float x, float* scratch, const Combine& combine) {
  x = over_warp(x, combine);
  if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = x;
  __syncthreads();
  float result = scratch[0];
#pragma unroll
  for (int warp = 1; warp < kWarps; ++warp) result = combine(result, scratch[warp]);
  __syncthreads();
  return result;
}

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Greater {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// Of the places that a lane or thread reads together, number k of each part.
template <int kParts, int kWidth>
__device__ void pick(const float (&from)[kParts][kWidth], int k, float (&to)[kParts]) {
#pragma unroll
  for (int part = 0; part < kParts; ++part) to[part] = from[part][k];
}

template <class Terms, int kWidth, class Number>
__device__ float score_of(const float* query, const Number* row, std::int64_t dim) {
  constexpr int kParts = Terms::kParts;
  const int half = static_cast<int>(dim) / kParts;
  float sum = 0;
#pragma unroll 8 / kWidth
  for (int place = static_cast<int>(threadIdx.x) % kWarp * kWidth; place < half; place += kWarp * kWidth) {
    float x[kParts][kWidth], y[kParts][kWidth];
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      load(query + part * half + place, x[part]);
      load_unchanging(row + part * half + place, y[part]);
    }
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      float mine[kParts], its[kParts];
      pick(x, k, mine);
      pick(y, k, its);
      sum += Terms::term(mine, its);
    }
  }
  return Terms::score(over_warp(sum, Plus{}));
}

/// Scores [columns] -> coefficients in place, and the row's loss.
template <class Terms>
__device__ void slopes_of_block(const SampledPass& pass, float* scores, float share, float* loss, float* scratch) {
  const int columns = static_cast<int>(pass.columns), thread = static_cast<int>(threadIdx.x);
  RowShared row{scores[0], 0, 1, static_cast<float>(columns - 1)};
  if (has_softmax(pass.kind)) {
    const float scale = softmax_scale(pass.kind, pass.temperature);
    const int first = answer_in_softmax(pass.kind) ? 0 : 1;
    float greatest = -3.402823466e38F;
    for (int j = first + thread; j < columns; j += kSampledThreads) greatest = fmaxf(greatest, scores[j] * scale);
    row.greatest = over_block(greatest, scratch, Greater{});
    float sum = 0;
    for (int j = first + thread; j < columns; j += kSampledThreads) sum += expf(scores[j] * scale - row.greatest);
    row.sum = over_block(sum, scratch, Plus{});
  }
  float total = 0, slopes = 0;
  for (int j = 1 + thread; j < columns; j += kSampledThreads) {
    const float score = scores[j];
    const LossPart part = other_part(pass.kind, pass.offset, pass.temperature, score, row);
    total += part.loss;
    slopes += part.slope;
    scores[j] = Terms::coefficient(part.slope * share, score);
  }
  total = over_block(total, scratch, Plus{});
  slopes = over_block(slopes, scratch, Plus{});
  if (thread == 0) {
    const LossPart part = answer_part(pass.kind, pass.offset, row, slopes);
    *loss = total + part.loss;
    scores[0] = Terms::coefficient(part.slope * share, row.answer);
  }
  __syncthreads();
}

template <class Terms, int kWidth, class Number>
__device__ void gradient_of_query(const SampledPass& pass, const float* query, const std::int32_t* ids,
                                  const float* coefficients, float* gradient) {
  constexpr int kParts = Terms::kParts;
  const int half = static_cast<int>(pass.dim) / kParts, columns = static_cast<int>(pass.columns);
  const auto* table = static_cast<const Number*>(pass.table);
  for (int place = static_cast<int>(threadIdx.x) * kWidth; place < half; place += kSampledThreads * kWidth) {
    float x[kParts][kWidth], sum[kWidth][kParts] = {};
#pragma unroll
    for (int part = 0; part < kParts; ++part) load(query + part * half + place, x[part]);
#pragma unroll 8
    for (int j = 0; j < columns; ++j) {
      const Number* row = table + ids[j] * pass.dim + place;
      float y[kParts][kWidth];
#pragma unroll
      for (int part = 0; part < kParts; ++part) load_unchanging(row + part * half, y[part]);
#pragma unroll
      for (int k = 0; k < kWidth; ++k) {
        float mine[kParts], its[kParts];
        pick(x, k, mine);
        pick(y, k, its);
        Terms::add_slope(mine, its, coefficients[j], sum[k]);
      }
    }
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) gradient[part * half + place + k] = sum[k][part];
    }
  }
}

/// kWidth: numbers of a row that a lane reads together, 1 or 4.
template <class Terms, class Number, int kWidth>
__global__ __launch_bounds__(kSampledThreads) void sampled_kernel(SampledPass pass) {
  extern __shared__ __align__(16) float query[];  // [dim]
  __shared__ float scratch[kWarps];
  const std::int64_t q = blockIdx.x;
  const std::int32_t* ids = pass.candidates + q * pass.columns;
  float* coefficients = pass.coefficients + q * pass.columns;
  for (int place = static_cast<int>(threadIdx.x); place < pass.dim; place += kSampledThreads)
    query[place] = pass.query[q * pass.dim + place];
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.x) / kWarp; j < pass.columns; j += kWarps) {
    const float score =
        score_of<Terms, kWidth>(query, static_cast<const Number*>(pass.table) + ids[j] * pass.dim, pass.dim);
    if (threadIdx.x % kWarp == 0) coefficients[j] = score;
  }
  __syncthreads();
  slopes_of_block<Terms>(pass, coefficients, pass.weight(q), pass.loss + q, scratch);
  // By twos, most of a block's threads have something to do for rows of 500.
  gradient_of_query<Terms, (kWidth > 1 ? 2 : 1), Number>(pass, query, ids, coefficients,
                                                         pass.query_grad + q * pass.dim);
}

template <class Terms, class Number, int kWidth>
void launch_sampled(const SampledPass& pass, void* stream) {
  const std::size_t bytes = static_cast<std::size_t>(pass.dim) * sizeof(float);
  launch(sampled_kernel<Terms, Number, kWidth>, {blocks_for(pass.queries, 1), kSampledThreads, bytes}, stream, pass);
}

}  // namespace

void sampled_loss_cuda(const SampledPass& pass, void* stream) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    if (!pass.is_bfloat16) {
      launch_sampled<Terms, float, 1>(pass, stream);
    } else if (pass.dim / Terms::kParts % 4 == 0) {
      launch_sampled<Terms, BFloat16, 4>(pass, stream);
    } else {
      launch_sampled<Terms, BFloat16, 1>(pass, stream);
    }
  });
}

}  // namespace hasa::kernels
