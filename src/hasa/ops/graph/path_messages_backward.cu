#include "hasa/ops/graph/path_columns.cuh"
#include "hasa/ops/graph/path_messages_kernels.h"

// The edges out of an entity are the twins of its row, so what goes back to a state is a gather over the same list. All
// edges of a group have one relation and one source, so one message: the group's sum of gradients is the gradient of
// that message, which the state takes times the relation, and the relation (in a pass by relation) times the state.

namespace hasa::kernels {
namespace {

constexpr int kColumns = 2;  // a lane's
constexpr int kTile = kColumns * kWarpLanes;
constexpr int kBackwardThreads = 512;
constexpr int kAhead = 4;
constexpr int kTerms = 4;

struct Place {
  std::int64_t column, q;
  int d;
  bool active;
};

__device__ Place place_of(const PathView& view, std::int64_t tile) {
  const std::int64_t column = tile * kTile + threadIdx.x % kWarpLanes * kColumns;
  const std::int64_t q = column / view.dim;
  return {column, q, static_cast<int>(column % view.dim), q < view.queries};
}

/// a, c and the extremes' gradients of each value of a row, in the order the main pass reads them in.
template <class T>
__global__ void terms_kernel(PathView view, PathBackward b) {
  const std::int64_t pairs = view.dim / kColumns;
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (item >= view.rows_out * pairs) return;
  const std::int64_t row = item / pairs, d = item % pairs * kColumns, dim = view.dim;
  const float n = view.degree[view.pairs[row] / view.queries] + 1;
  const T* out = static_cast<const T*>(b.out) + row * 5 * dim + d;
  const T* grad = static_cast<const T*>(b.out_grad) + row * 5 * dim + d;
  float mean[kColumns], spread[kColumns], g_mean[kColumns], g_greatest[kColumns], g_least[kColumns], g_spread[kColumns];
  load_columns(out + dim, mean);
  load_columns(out + 4 * dim, spread);
  load_columns(grad + dim, g_mean);
  load_columns(grad + 2 * dim, g_greatest);
  load_columns(grad + 3 * dim, g_least);
  load_columns(grad + 4 * dim, g_spread);
  float terms[kColumns * kTerms];
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    const float c = spread[i] > kFlatSpread ? g_spread[i] / (n * spread[i]) : 0.0F;
    terms[kTerms * i] = g_mean[i] / n - c * mean[i];
    terms[kTerms * i + 1] = c;
    terms[kTerms * i + 2] = g_greatest[i];
    terms[kTerms * i + 3] = g_least[i];
  }
  store_columns(static_cast<T*>(b.terms) + (row * dim + d) * kTerms, terms);
}

/// What one edge's end says of a lane's columns.
template <class T, class Slot, bool kPna>
struct EdgeEnd {
  float terms[kColumns * (kPna ? kTerms : 1)] = {};
  Slot places[2 * kColumns] = {};

  __device__ void load(const PathView& view, const PathBackward& b, std::int64_t row, int d) {
    if constexpr (kPna) {
      load_columns(static_cast<const T*>(b.terms) + (row * view.dim + d) * kTerms, terms);
      load_places(static_cast<const Slot*>(b.extremes) + (row * view.dim + d) * 2, places);
    } else {
      load_columns(static_cast<const T*>(b.out_grad) + (row * 2 + 1) * view.dim + d, terms);
    }
  }
  /// Adds this edge's gradient of the message m.
  __device__ void add(const float (&m)[kColumns], std::int32_t slot, float (&sum)[kColumns]) const {
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      if constexpr (kPna) {
        sum[i] += terms[kTerms * i] + terms[kTerms * i + 1] * m[i];
        if (places[2 * i] == static_cast<Slot>(slot)) sum[i] += terms[kTerms * i + 2];
        if (places[2 * i + 1] == static_cast<Slot>(slot)) sum[i] += terms[kTerms * i + 3];
      } else {
        sum[i] += terms[i];
      }
    }
  }
};

template <class T, class Slot, bool kPna>
__device__ void group_sum(const PathView& view, const PathBackward& b, const Place& at, bool active, std::int32_t first,
                          std::int32_t last, const float (&m)[kColumns], float (&sum)[kColumns]) {
  const auto* edges = reinterpret_cast<const int2*>(view.edges);
  for (std::int32_t base = first; base < last; base += kAhead) {
    std::int32_t slot[kAhead];
    bool there[kAhead];
    EdgeEnd<T, Slot, kPna> ends[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const std::int32_t k = base + i;
      const std::int32_t v = k < last ? edges[k].x : -1;
      there[i] = active && v >= 0;
      if (!there[i]) continue;
      slot[i] = view.twin_slot[k];
      ends[i].load(view, b, view.position[v * view.queries + at.q], at.d);
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (there[i]) ends[i].add(m, slot[i], sum);
    }
  }
}

template <class T>
__device__ void write_state_grad(const PathView& view, const PathBackward& b, const Place& at, std::int64_t row,
                                 const float (&grad)[kColumns]) {
  float own[kColumns];
  load_columns(static_cast<const T*>(b.out_grad) + row * view.dim * (view.pna ? 5 : 2) + at.d, own);
#pragma unroll
  for (int i = 0; i < kColumns; ++i) own[i] += grad[i];
  store_columns(static_cast<T*>(b.states_grad) + row * view.dim + at.d, own);
}

// A warp for a part of an entity's row and a tile. Grid: (blocks for a tile, tiles), so that tiles follow each other.
template <class T, class Slot, bool kPna>
__global__ void __launch_bounds__(kBackwardThreads, 2) backward_kernel(PathView view, PathBackward b) {
  const Place at = place_of(view, blockIdx.y);
  const std::int64_t p =
      static_cast<std::int64_t>(blockIdx.x) * (kBackwardThreads / kWarpLanes) + threadIdx.x / kWarpLanes;
  if (p >= view.num_parts) return;
  const int4 part = reinterpret_cast<const int4*>(view.parts)[p];
  const std::int64_t row = at.active ? view.position[part.x * view.queries + at.q] : view.rows_in;
  const bool active = row < view.rows_in;
  if (!active) return;  // lanes need nothing of each other
  float x[kColumns], grad[kColumns] = {};
  load_columns(static_cast<const T*>(b.states) + row * view.dim + at.d, x);
  const T* relations = static_cast<const T*>(b.relations) + at.q * view.directed_relations * view.dim + at.d;
  for (std::int32_t g = part.y; g < part.z; ++g) {
    const int4 group = reinterpret_cast<const int4*>(view.groups)[g];
    float w[kColumns], m[kColumns], sum[kColumns] = {};
    load_columns(relations + group.w * view.dim, w);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) m[i] = x[i] * w[i];
    group_sum<T, Slot, kPna>(view, b, at, active, group.x, group.y, m, sum);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) grad[i] += w[i] * sum[i];
    store_columns(static_cast<T*>(b.group_sums) + (g * view.queries + at.q) * view.dim + at.d, sum);
  }
  if (part.w < 0) {
    write_state_grad<T>(view, b, at, row, grad);
  } else {
    store_columns(b.hub_grads + part.w * view.queries * view.dim + at.column, grad);
  }
}

template <class T>
__global__ void combine_hub_grads_kernel(PathView view, PathBackward b) {
  const std::int32_t* hub = view.hubs + 3 * blockIdx.x;
  const Place at = place_of(view, blockIdx.y);
  const std::int64_t row =
      at.active ? view.position[static_cast<std::int64_t>(hub[0]) * view.queries + at.q] : view.rows_in;
  if (row >= view.rows_in) return;
  float grad[kColumns] = {}, part[kColumns];
  for (std::int64_t p = hub[1]; p < hub[2]; ++p) {
    load_columns(b.hub_grads + p * view.queries * view.dim + at.column, part);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) grad[i] += part[i];
  }
  write_state_grad<T>(view, b, at, row, grad);
}

// A warp for a part of a relation's groups and a tile.
template <class T>
__global__ void relation_parts_kernel(PathView view, PathBackward b) {
  const Place at = place_of(view, blockIdx.y);
  const std::int64_t p =
      static_cast<std::int64_t>(blockIdx.x) * (kBackwardThreads / kWarpLanes) + threadIdx.x / kWarpLanes;
  if (p >= view.num_relation_parts || !at.active) return;
  const std::int32_t* part = view.relation_parts + 3 * p;
  float total[kColumns] = {};
  for (std::int32_t i = part[1]; i < part[2]; ++i) {
    const std::int64_t g = view.groups_of_relation[i];
    const std::int64_t row = view.position[view.groups[4 * g + 2] * view.queries + at.q];
    if (row >= view.rows_in) continue;
    float x[kColumns], sum[kColumns];
    load_columns(static_cast<const T*>(b.states) + row * view.dim + at.d, x);
    load_columns(static_cast<const T*>(b.group_sums) + (g * view.queries + at.q) * view.dim + at.d, sum);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) total[c] += x[c] * sum[c];
  }
  store_columns(b.relation_sums + p * view.queries * view.dim + at.column, total);
}

__global__ void combine_relations_kernel(PathView view, PathBackward b) {
  const Place at = place_of(view, blockIdx.y);
  if (!at.active) return;
  const std::int64_t r = blockIdx.x;
  float total[kColumns] = {}, part[kColumns];
  for (std::int64_t p = view.relation_offsets[r]; p < view.relation_offsets[r + 1]; ++p) {
    load_columns(b.relation_sums + p * view.queries * view.dim + at.column, part);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) total[i] += part[i];
  }
  store_columns(b.relations_grad + (at.q * view.directed_relations + r) * view.dim + at.d, total);
}

template <class T, class Slot, bool kPna>
__global__ void start_kernel(PathView view, PathBackward b) {
  const Place at = place_of(view, blockIdx.x);
  if (!at.active) return;
  const std::int64_t row = view.position[view.heads[at.q] * view.queries + at.q];
  float start[kColumns], grad[kColumns] = {};
  load_columns(static_cast<const T*>(b.start) + at.q * view.dim + at.d, start);
  EdgeEnd<T, Slot, kPna> end;
  end.load(view, b, row, at.d);
  end.add(start, kFromStart, grad);
  store_columns(static_cast<T*>(b.start_grad) + at.q * view.dim + at.d, grad);
}

template <class T>
void launch_relations(const PathView& view, const PathBackward& b, unsigned tiles, cudaStream_t stream) {
  if (view.num_relation_parts > 0) {
    const unsigned blocks = blocks_for(view.num_relation_parts, kBackwardThreads / kWarpLanes);
    launch(relation_parts_kernel<T>, {dim3(blocks, tiles), kBackwardThreads}, stream, view, b);
  }
  if (view.directed_relations == 0) return;
  const dim3 grid(static_cast<unsigned>(view.directed_relations), tiles);
  launch(combine_relations_kernel, {grid, kWarpLanes}, stream, view, b);
}

template <class T, class Slot, bool kPna>
void launch_backward(const PathView& view, const PathBackward& b, cudaStream_t stream) {
  const unsigned tiles = blocks_for(view.queries * view.dim, kTile);
  if constexpr (kPna) {
    launch(terms_kernel<T>, {blocks_for(view.rows_out * view.dim / kColumns, 256), 256}, stream, view, b);
  }
  const unsigned blocks = blocks_for(view.num_parts, kBackwardThreads / kWarpLanes);
  launch(backward_kernel<T, Slot, kPna>, {dim3(blocks, tiles), kBackwardThreads}, stream, view, b);
  if (view.num_hubs > 0) {
    const dim3 grid(static_cast<unsigned>(view.num_hubs), tiles);
    launch(combine_hub_grads_kernel<T>, {grid, kWarpLanes}, stream, view, b);
  }
  launch(start_kernel<T, Slot, kPna>, {tiles, kWarpLanes}, stream, view, b);
  launch_relations<T>(view, b, tiles, stream);
}

template <class T>
void backward_of(const PathView& view, const PathBackward& b, cudaStream_t stream) {
  if (!view.pna) {
    launch_backward<T, std::uint16_t, false>(view, b, stream);
  } else if (view.short_slots) {
    launch_backward<T, std::uint16_t, true>(view, b, stream);
  } else {
    launch_backward<T, std::int32_t, true>(view, b, stream);
  }
}

}  // namespace

void path_backward_cuda(const PathView& view, const PathBackward& arguments, void* stream) {
  if (view.rows_out == 0) return;
  const auto queue = static_cast<cudaStream_t>(stream);
  if (view.is_bfloat16) {
    backward_of<BFloat16>(view, arguments, queue);
  } else {
    backward_of<float>(view, arguments, queue);
  }
}

}  // namespace hasa::kernels
