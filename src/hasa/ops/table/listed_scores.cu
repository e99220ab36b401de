#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/score/similarity_terms.h"
#include "hasa/ops/table/listed_scores_kernels.h"
#include "hasa/ops/table/table_rows.cuh"

// A block for each query, as in sampled_loss.cu: its warps score a candidate each at a time; in the second pass each
// thread takes places of the query and goes over the candidates in their order.

namespace hasa::kernels {
namespace {

constexpr int kListedThreads = 256;
constexpr int kListedWarps = kListedThreads / kWarp;

template <class Terms, class Number>
__device__ void load_places(const Number* row, int half, int place, float (&to)[Terms::kParts]) {
#pragma unroll
  for (int part = 0; part < Terms::kParts; ++part) {
    float one[1];
    load(row + part * half + place, one);
    to[part] = one[0];
  }
}

template <class Terms, class Number>
__global__ __launch_bounds__(kListedThreads) void listed_scores_kernel(ListedPass pass) {
  const std::int64_t q = blockIdx.x;
  const float* query = pass.query + q * pass.dim;
  const int half = static_cast<int>(pass.dim) / Terms::kParts, lane = static_cast<int>(threadIdx.x) % kWarp;
  for (std::int64_t i = pass.offsets[q] + threadIdx.x / kWarp; i < pass.offsets[q + 1]; i += kListedWarps) {
    const Number* row = static_cast<const Number*>(pass.table) + pass.ids[i] * pass.dim;
    float sum = 0;
    for (int place = lane; place < half; place += kWarp) {
      float x[Terms::kParts], y[Terms::kParts];
      load_places<Terms>(query, half, place, x);
      load_places<Terms>(row, half, place, y);
      sum += Terms::term(x, y);
    }
#pragma unroll
    for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
    if (lane == 0) pass.scores[i] = Terms::score(sum);
  }
}

template <class Terms, class Number>
__global__ __launch_bounds__(kListedThreads) void listed_gradient_kernel(ListedPass pass) {
  const std::int64_t q = blockIdx.x, first = pass.offsets[q], end = pass.offsets[q + 1];
  const int half = static_cast<int>(pass.dim) / Terms::kParts, thread = static_cast<int>(threadIdx.x);
  for (std::int64_t i = first + thread; i < end; i += kListedThreads)
    pass.coefficients[i] = Terms::coefficient(pass.slopes[i], pass.scores[i]);
  __syncthreads();
  for (int place = thread; place < half; place += kListedThreads) {
    float x[Terms::kParts], y[Terms::kParts], sum[Terms::kParts] = {};
    load_places<Terms>(pass.query + q * pass.dim, half, place, x);
    for (std::int64_t i = first; i < end; ++i) {
      load_places<Terms>(static_cast<const Number*>(pass.table) + pass.ids[i] * pass.dim, half, place, y);
      Terms::add_slope(x, y, pass.coefficients[i], sum);
    }
#pragma unroll
    for (int part = 0; part < Terms::kParts; ++part) pass.query_grad[q * pass.dim + part * half + place] = sum[part];
  }
}

}  // namespace

void listed_scores_cuda(const ListedPass& pass, void* stream) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    const auto kernel = pass.is_bfloat16 ? listed_scores_kernel<Terms, BFloat16> : listed_scores_kernel<Terms, float>;
    launch(kernel, {blocks_for(pass.queries, 1), kListedThreads}, stream, pass);
  });
}

void listed_gradient_cuda(const ListedPass& pass, void* stream) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    const auto kernel =
        pass.is_bfloat16 ? listed_gradient_kernel<Terms, BFloat16> : listed_gradient_kernel<Terms, float>;
    launch(kernel, {blocks_for(pass.queries, 1), kListedThreads}, stream, pass);
  });
}

}  // namespace hasa::kernels
