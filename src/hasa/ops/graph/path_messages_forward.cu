#include <cfloat>

#include "hasa/ops/graph/path_columns.cuh"
#include "hasa/ops/graph/path_messages_kernels.h"

// A tile is 128 neighbouring columns of (query, dimension), four a lane; a warp takes a part of an entity's row for one
// tile, its edges one after the other, so that nothing is added up across lanes. Blocks stand in order of tiles: the
// few that run together gather from one tile's columns, which fit into L2.

namespace hasa::kernels {
namespace {

constexpr int kColumns = 4;  // a lane's
constexpr int kTile = kColumns * kWarpLanes;
constexpr int kForwardThreads = 1024;
constexpr int kAhead = 4;  // edges whose states are under way at once
constexpr int kStateColumns = 5;

/// What a lane has heard so far.
struct Sums {
  float sum[kColumns], squares[kColumns], greatest[kColumns], least[kColumns];
  std::int32_t high[kColumns], low[kColumns];
};

__device__ void begin_sums(Sums& s, const float (&start)[kColumns], float greatest, float least, std::int32_t from) {
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    s.sum[i] = start[i], s.squares[i] = start[i] * start[i];
    s.greatest[i] = greatest + start[i], s.least[i] = least + start[i];
    s.high[i] = s.low[i] = from;
  }
}

template <bool kPna>
__device__ void hear(Sums& s, int i, float message, std::int32_t slot) {
  s.sum[i] += message;
  if constexpr (kPna) {
    s.squares[i] += message * message;
    if (message > s.greatest[i]) s.greatest[i] = message, s.high[i] = slot;
    if (message < s.least[i]) s.least[i] = message, s.low[i] = slot;
  }
}

/// Where a lane stands: its columns' query and first dimension.
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

template <class T, class Slot, bool kPna>
__device__ void finish_row(const PathView& view, const PathForward& a, const Place& at, std::int64_t v,
                           std::int64_t row, const Sums& s) {
  const std::int64_t dim = view.dim;
  T* out = static_cast<T*>(a.out) + row * dim * (kPna ? kStateColumns : 2) + at.d;
  float own[kColumns] = {};
  if (row < view.rows_in) load_columns(static_cast<const T*>(a.states) + row * dim + at.d, own);
  store_columns(out, own);
  if constexpr (!kPna) {
    store_columns(out + dim, s.sum);
  } else {
    const float n = view.degree[v] + 1;
    float mean[kColumns], spread[kColumns];
    Slot places[2 * kColumns];
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      mean[i] = s.sum[i] / n;
      spread[i] = sqrtf(fmaxf(kLeastVariance, s.squares[i] / n - mean[i] * mean[i]));
      places[2 * i] = static_cast<Slot>(s.high[i]), places[2 * i + 1] = static_cast<Slot>(s.low[i]);
    }
    store_columns(out + dim, mean);
    store_columns(out + 2 * dim, s.greatest);
    store_columns(out + 3 * dim, s.least);
    store_columns(out + 4 * dim, spread);
    store_places(static_cast<Slot*>(a.extremes) + (row * dim + at.d) * 2, places);
  }
}

__device__ void keep_part(const PathView& view, const PathForward& a, const Place& at, std::int64_t part,
                          const Sums& s) {
  const std::int64_t first = part * view.queries * view.dim + at.column;
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    reinterpret_cast<float4*>(a.hub_values)[first + i] = make_float4(s.sum[i], s.squares[i], s.greatest[i], s.least[i]);
    reinterpret_cast<int2*>(a.hub_places)[first + i] = make_int2(s.high[i], s.low[i]);
  }
}

template <class T>
__device__ void read_start(const PathView& view, const PathForward& a, const Place& at, std::int64_t v,
                           float (&start)[kColumns]) {
  if (at.active && view.heads[at.q] == v) load_columns(static_cast<const T*>(a.start) + at.q * view.dim + at.d, start);
}

/// The messages of edges first .. last of row v. `relations`: in shared memory [2R, 128], or this lane's in global.
template <class T, bool kPna, bool kShared>
__device__ void hear_edges(const PathView& view, const PathForward& a, const Place& at, bool active, std::int64_t v,
                           std::int32_t first, std::int32_t last, const T* relations, Sums& s) {
  const auto* edges = reinterpret_cast<const int2*>(view.edges);
  const auto* states = static_cast<const T*>(a.states);
  const int lane = threadIdx.x % kWarpLanes;
  const std::int64_t stride = kShared ? kTile : view.dim;
  const std::int32_t row_begin = view.offsets[v];
  for (std::int32_t base = first; base < last; base += kWarpLanes) {
    const int2 mine = base + lane < last ? edges[base + lane] : make_int2(-1, 0);
    const int count = min(kWarpLanes, last - base);
    for (int j = 0; j < count; j += kAhead) {
      std::int32_t source[kAhead], relation[kAhead];
      float x[kAhead][kColumns];
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        source[i] = __shfl_sync(kAllLanes, mine.x, (j + i) % kWarpLanes);
        relation[i] = __shfl_sync(kAllLanes, mine.y, (j + i) % kWarpLanes);
        if (j + i >= count) source[i] = -1;
        const bool there = active && source[i] >= 0;
        const std::int64_t row = there ? view.position[source[i] * view.queries + at.q] : view.rows_in;
#pragma unroll
        for (int c = 0; c < kColumns; ++c) x[i][c] = 0;
        if (row < view.rows_in) load_columns(states + row * view.dim + at.d, x[i]);
      }
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        if (source[i] < 0 || !active) continue;
        float w[kColumns];
        load_columns(relations + relation[i] * stride, w);
#pragma unroll
        for (int c = 0; c < kColumns; ++c) hear<kPna>(s, c, x[i][c] * w[c], base + j + i - row_begin);
      }
    }
  }
}

/// Relations of the tile's columns, [2R, 128]: neighbouring lanes read neighbouring banks.
template <class T>
__device__ void fetch_relations(const PathView& view, const PathForward& a, const Place& at, T* shared) {
  const int warps = blockDim.x / kWarpLanes;
  if (at.active) {
    const T* from = static_cast<const T*>(a.relations) + at.q * view.directed_relations * view.dim + at.d;
    for (std::int64_t r = threadIdx.x / kWarpLanes; r < view.directed_relations; r += warps) {
      float w[kColumns];
      load_columns(from + r * view.dim, w);
      store_columns(shared + r * kTile + threadIdx.x % kWarpLanes * kColumns, w);
    }
  }
}

// Grid: (blocks for a tile, tiles).
template <class T, class Slot, bool kPna, bool kShared>
__global__ void __launch_bounds__(kForwardThreads, 1) forward_kernel(PathView view, PathForward a) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ int next;
  const Place at = place_of(view, blockIdx.y);
  const int lane = threadIdx.x % kWarpLanes;
  const T* relations = static_cast<const T*>(a.relations) + at.q * view.directed_relations * view.dim + at.d;
  if (threadIdx.x == 0) next = 0;
  if constexpr (kShared) {
    fetch_relations(view, a, at, reinterpret_cast<T*>(memory));
    relations = reinterpret_cast<const T*>(memory) + lane * kColumns;
  }
  __syncthreads();
  for (;;) {
    int turn = 0;
    if (lane == 0) turn = atomicAdd(&next, 1);
    turn = __shfl_sync(kAllLanes, turn, 0);
    const std::int64_t p = static_cast<std::int64_t>(turn) * gridDim.x + blockIdx.x;
    if (p >= view.num_parts) return;
    const int4 part = reinterpret_cast<const int4*>(view.parts)[p];
    const std::int64_t v = part.x;
    const std::int64_t row = at.active ? view.position[v * view.queries + at.q] : view.rows_out;
    const bool active = row < view.rows_out;
    if (!__any_sync(kAllLanes, active)) continue;
    Sums s;
    float start[kColumns] = {};
    if (part.w < 0) {
      read_start<T>(view, a, at, v, start);
      begin_sums(s, start, 0, 0, kFromStart);
    } else {
      begin_sums(s, start, -FLT_MAX, FLT_MAX, kFromNowhere);
    }
    if (part.y < part.z) {
      const std::int32_t first = view.groups[4 * part.y], last = view.groups[4 * (part.z - 1) + 1];
      hear_edges<T, kPna, kShared>(view, a, at, active, v, first, last, relations, s);
    }
    if (!active) continue;
    if (part.w < 0) {
      finish_row<T, Slot, kPna>(view, a, at, v, row, s);
    } else {
      keep_part(view, a, at, part.w, s);
    }
  }
}

/// Adds a hub's parts up in their order. A block for 128 columns (a warp) of one hub.
template <class T, class Slot, bool kPna>
__global__ void combine_hubs_kernel(PathView view, PathForward a) {
  const std::int32_t* hub = view.hubs + 3 * blockIdx.x;
  const Place at = place_of(view, blockIdx.y);
  const std::int64_t v = hub[0];
  const std::int64_t row = at.active ? view.position[v * view.queries + at.q] : view.rows_out;
  if (row >= view.rows_out) return;
  Sums s;
  float start[kColumns] = {};
  read_start<T>(view, a, at, v, start);
  begin_sums(s, start, 0, 0, kFromStart);
  for (std::int64_t part = hub[1]; part < hub[2]; ++part) {
    const std::int64_t first = part * view.queries * view.dim + at.column;
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const float4 values = reinterpret_cast<const float4*>(a.hub_values)[first + i];
      const int2 places = reinterpret_cast<const int2*>(a.hub_places)[first + i];
      s.sum[i] += values.x, s.squares[i] += values.y;
      if (values.z > s.greatest[i]) s.greatest[i] = values.z, s.high[i] = places.x;
      if (values.w < s.least[i]) s.least[i] = values.w, s.low[i] = places.y;
    }
  }
  finish_row<T, Slot, kPna>(view, a, at, v, row, s);
}

template <class T, class Slot, bool kPna, bool kShared>
void launch_parts(const PathView& view, const PathForward& a, unsigned tiles, std::size_t bytes, cudaStream_t stream) {
  const auto kernel = forward_kernel<T, Slot, kPna, kShared>;
  if (bytes > 0) {
    check_cuda("give a block that much shared memory",
               cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  }
  const auto processors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  const unsigned blocks = std::min(processors, blocks_for(view.num_parts, kForwardThreads / kWarpLanes));
  launch(kernel, {dim3(blocks, tiles), kForwardThreads, bytes}, stream, view, a);
}

template <class T, class Slot, bool kPna>
void launch_forward(const PathView& view, const PathForward& a, cudaStream_t stream) {
  const auto tiles = blocks_for(view.queries * view.dim, kTile);
  const std::size_t bytes = static_cast<std::size_t>(view.directed_relations) * kTile * sizeof(T);
  const auto most = static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (bytes + 1024 <= most) {
    launch_parts<T, Slot, kPna, true>(view, a, tiles, bytes, stream);
  } else {
    launch_parts<T, Slot, kPna, false>(view, a, tiles, 0, stream);
  }
  if (view.num_hubs == 0) return;
  launch(combine_hubs_kernel<T, Slot, kPna>, {dim3(static_cast<unsigned>(view.num_hubs), tiles), kWarpLanes}, stream,
         view, a);
}

template <class T>
void forward_of(const PathView& view, const PathForward& a, cudaStream_t stream) {
  if (!view.pna) {
    launch_forward<T, std::uint16_t, false>(view, a, stream);
  } else if (view.short_slots) {
    launch_forward<T, std::uint16_t, true>(view, a, stream);
  } else {
    launch_forward<T, std::int32_t, true>(view, a, stream);
  }
}

}  // namespace

void path_forward_cuda(const PathView& view, const PathForward& arguments, void* stream) {
  if (view.rows_out == 0) return;
  const auto queue = static_cast<cudaStream_t>(stream);
  if (view.is_bfloat16) {
    forward_of<BFloat16>(view, arguments, queue);
  } else {
    forward_of<float>(view, arguments, queue);
  }
}

}  // namespace hasa::kernels
