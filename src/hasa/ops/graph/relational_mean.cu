#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/graph/relational_mean_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kThreads = 128;
constexpr std::int64_t kEdgesPerBlock = 256;

__device__ bool kept(const EdgeView& edges, std::int64_t edge) {
  return edges.keep == nullptr || edges.keep[edges.triple[edge]];
}

__global__ void inverse_counts_kernel(EdgeView edges, float* inverse_count) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= edges.entities) return;
  int count = 0;
  for (std::int64_t k = edges.offsets[e]; k < edges.offsets[e + 1]; ++k) count += kept(edges, k) ? 1 : 0;
  inverse_count[e] = 1.0F / static_cast<float>(count > 0 ? count : 1);
}

// A block per entity, its threads side by side over the columns: reads of a row are contiguous.
__global__ void gather_kernel(EdgeView edges, GatherArguments a) {
  const std::int64_t e = blockIdx.x;
  const std::int64_t begin = edges.offsets[e], end = edges.offsets[e + 1];
  const float own = a.own_scale != nullptr ? a.own_scale[e] : 1.0F;
  for (std::int64_t i = threadIdx.x; i < edges.dim; i += blockDim.x) {
    float sum = 0.0F;
    for (std::int64_t k = begin; k < end; ++k) {
      if (!kept(edges, k)) continue;
      const std::int64_t n = edges.neighbour[k];
      std::int64_t r = edges.relation[k];
      if (a.inverse_relations) r = r < edges.relations ? r + edges.relations : r - edges.relations;
      const float scale = a.source_scale != nullptr ? a.source_scale[n] : 1.0F;
      sum += scale * a.rows[n * edges.dim + i] * a.weights[r * edges.dim + i];
    }
    a.out[e * edges.dim + i] = sum * own;
  }
}

// A block per run of edges in order of relation: it adds to memory once for each relation it meets.
__global__ void weight_gradient_kernel(EdgeView edges, const float* grad, const float* inverse_count,
                                       const float* values, float* out) {
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kEdgesPerBlock;
  const std::int64_t end = begin + kEdgesPerBlock < edges.edges ? begin + kEdgesPerBlock : edges.edges;
  for (std::int64_t i = threadIdx.x; i < edges.dim; i += blockDim.x) {
    float sum = 0.0F;
    std::int64_t relation = edges.relation[edges.by_relation[begin]];
    for (std::int64_t j = begin; j < end; ++j) {
      const std::int64_t k = edges.by_relation[j];
      if (edges.relation[k] != relation) {
        atomicAdd(&out[relation * edges.dim + i], sum);
        sum = 0.0F;
        relation = edges.relation[k];
      }
      if (!kept(edges, k)) continue;
      const std::int64_t e = edges.source[k];
      sum += inverse_count[e] * grad[e * edges.dim + i] * values[edges.neighbour[k] * edges.dim + i];
    }
    atomicAdd(&out[relation * edges.dim + i], sum);
  }
}

}  // namespace

void inverse_counts_cuda(const EdgeView& edges, float* inverse_count, void* stream) {
  launch(inverse_counts_kernel, {blocks_for(edges.entities, kThreads), kThreads}, stream, edges, inverse_count);
}

void gather_cuda(const EdgeView& edges, const GatherArguments& arguments, void* stream) {
  launch(gather_kernel, {blocks_for(edges.entities, 1), kThreads}, stream, edges, arguments);
}

void weight_gradient_cuda(const EdgeView& edges, const float* grad, const float* inverse_count, const float* values,
                          float* out, void* stream) {
  const auto bytes = static_cast<std::size_t>(2 * edges.relations * edges.dim) * sizeof(float);
  check_cuda("clear the gradient of the relations", cudaMemsetAsync(out, 0, bytes, static_cast<cudaStream_t>(stream)));
  launch(weight_gradient_kernel, {blocks_for(edges.edges, kEdgesPerBlock), kThreads}, stream, edges, grad,
         inverse_count, values, out);
}

}  // namespace hasa::kernels
