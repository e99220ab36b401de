#include "hasa/ops/encoder/qkv_attention_tiles.cuh"

namespace hasa::kernels {
namespace {

constexpr int kNear = 4;  // tiles of queries whose gradients of scores lie where the values were

/// A [16, 16] block of gradients of scores, [key, query]: two chunks a row.
struct Block {
  static constexpr int kBytes = kTile * 2 * kChunk, kHalf = kBytes / 2;

  static __device__ std::uint32_t at(int row, int chunk) { return (2 * row + (chunk ^ (row >> 2 & 1))) * kChunk; }
};

/// What shared memory holds of 16 rows of one head: query, gradient of the result, key, value. Blocks of these 16
/// keys take the place of the values, of which only the keys' own warp has a use; those of queries beyond kNear tiles
/// lie apart.
template <int kSize>
struct Record : TileLayout<kSize / 8> {
  using Layout = TileLayout<kSize / 8>;
  static constexpr int kSteps = kSize / 16;
  static constexpr int kGrad = Layout::kBytes, kKey = 2 * Layout::kBytes, kValue = 3 * Layout::kBytes;
  static constexpr int kAll = kValue + kNear * Block::kBytes;
};

/// Of one text and head.
template <int kSize>
struct Shared {
  using R = Record<kSize>;
  std::uint32_t start;
  std::uint32_t far;  // blocks of queries beyond kNear tiles
  int far_tiles;
  float* minus_lse;  // times log2(e); minus infinity past the end
  float* minus_dot;  // of result and gradient

  static __host__ __device__ int bytes_of_tiles(int tiles) {
    return tiles * R::kAll + (tiles > kNear ? tiles * (tiles - kNear) * Block::kBytes : 0);
  }
  static int bytes(int room) { return bytes_of_tiles(room / kTile) + 2 * room * static_cast<int>(sizeof(float)); }

  __device__ Shared(unsigned char* shared, int room)
      : start(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
        far(start + room / kTile * R::kAll),
        far_tiles(room / kTile - kNear),
        minus_lse(reinterpret_cast<float*>(shared + bytes_of_tiles(room / kTile))),
        minus_dot(minus_lse + room) {}

  __device__ std::uint32_t block(int keys, int queries) const {
    return queries < kNear ? start + keys * R::kAll + R::kValue + queries * Block::kBytes
                           : far + (keys * far_tiles + queries - kNear) * Block::kBytes;
  }
};

/// Copies a text's rows into records, zeros past its end; all threads of the block.
template <int kSize, int kThreads>
__device__ void copy_text(std::uint32_t start, const BFloat16* qkv, const BFloat16* grad, std::int64_t across,
                          int length, int tiles) {
  using R = Record<kSize>;
  const CopiedChunks<kSize, kThreads, R::kAll> mine;
  const BFloat16* q = qkv + mine.first * 3 * across + mine.chunk * kPerChunk;
  const BFloat16 *k = q + across, *v = k + across, *g = grad + mine.first * across + mine.chunk * kPerChunk;
  const std::int64_t step = across * mine.kRows, wide_step = 3 * step;
  mine.for_each(tiles, [&](int row, std::uint32_t where) {
    const std::uint32_t to = start + where;
    const bool there = row < length;
    copy_chunk(to + R::kGrad, g, there);
    copy_chunk(to, q, there);
    copy_chunk(to + R::kKey, k, there);
    copy_chunk(to + R::kValue, v, there);
    q += wide_step;
    k += wide_step;
    v += wide_step;
    g += step;
  });
}

inline __device__ float dot_of_chunks(const uint4& x, const uint4& y) {
  const std::uint32_t a[4] = {x.x, x.y, x.z, x.w}, b[4] = {y.x, y.y, y.z, y.w};
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // a bfloat16 is the upper half of a float
    sum = fmaf(__uint_as_float(a[i] << 16), __uint_as_float(b[i] << 16), sum);
    sum = fmaf(__uint_as_float(a[i] & 0xffff0000U), __uint_as_float(b[i] & 0xffff0000U), sum);
  }
  return sum;
}

/// minus_dot[i] = -out[i] . grad[i]. Waits for all copies once its own loads are under way.
template <int kSize, int kThreads>
__device__ void wait_and_take_dots(const Shared<kSize>& shared, const BFloat16* out, std::int64_t across, int length,
                                   int tiles) {
  using R = Record<kSize>;
  using Copied = CopiedChunks<kSize, kThreads, R::kAll>;
  constexpr int kAtOnce = 4;
  const Copied mine;
  const BFloat16* from = out + mine.first * across + mine.chunk * kPerChunk;
  uint4 chunks[kAtOnce];
  const auto fetch = [&](int row, int i) {
    chunks[i] = make_uint4(0, 0, 0, 0);
    if (row < length) chunks[i] = *reinterpret_cast<const uint4*>(from);
    from += mine.kRows * across;
  };
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) fetch(mine.first + i * mine.kRows, i);
  wait_for_copies();
  __syncthreads();
  for (int start = 0; start < tiles * kTile; start += kAtOnce * mine.kRows) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const unsigned row = start + i * mine.kRows + mine.first;
      if (row >= tiles * kTile) break;  // for a whole warp: its rows are four or eight of sixteen
      const std::uint32_t at = row / kTile * R::kAll + R::kGrad + R::at(row % kTile, mine.chunk);
      float sum = dot_of_chunks(chunks[i], load_chunk(shared.start + at));
#pragma unroll
      for (int away = mine.kChunks / 2; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, away);
      if (mine.chunk == 0) shared.minus_dot[row] = -sum;
    }
    if (start + kAtOnce * mine.kRows < tiles * kTile) {
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) fetch(start + (kAtOnce + i) * mine.kRows + mine.first, i);
    }
  }
}

/// Sixteen keys of one head against all queries of their text: gradients of the values, and of the scores.
template <int kSize, bool kDrop>
class KeyTile {
 public:
  using R = Record<kSize>;

  __device__ KeyTile(const Shared<kSize>& shared, int tile, int length, const WeightFactors& factors)
      : shared_(shared), tile_(tile), factors_(factors) {
    const std::uint32_t from = shared.start + tile * R::kAll + R::rows_first();
#pragma unroll
    for (int step = 0; step < R::kSteps; ++step) {
      load(k_[step], at_step(from, step) + R::kKey);
      load(v_[step], at_step(from, step) + R::kValue);
    }
    const int key = tile * kTile + lane() / 4;
    there_[0] = key < length;
    there_[1] = key + 8 < length;
    whole_ = (tile + 1) * kTile <= length;
    __syncwarp();  // the values' place is free now
  }

  __device__ void meet(int queries, float scale_log2) {
    float s[2][4] = {}, p[2][4] = {};  // scores, then weights; gradients of weights, then of scores
    if constexpr (!kDrop) add_dots(queries, p);
    const std::uint32_t across = shared_.start + queries * R::kAll + R::chunks_first();
#pragma unroll
    for (int step = 0; step < R::kSteps; ++step) {
      std::uint32_t q[4], g[4];
      load(q, at_step(across, step));
      load(g, at_step(across, step) + R::kGrad);
      multiply_add(s[0], s[1], k_[step], q);
      multiply_add(p[0], p[1], v_[step], g);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const float2 minus_lse = *reinterpret_cast<const float2*>(shared_.minus_lse + column(queries, n));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        s[n][i] = exp2_fast(fmaf(s[n][i], scale_log2, i % 2 == 0 ? minus_lse.x : minus_lse.y));
      }
    }
    if (!whole_) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if (!there_[i % 4 / 2]) s[i / 4][i % 4] = 0;
      }
    }
    if constexpr (kDrop) {
      float kept[2][4];
      factors_of(queries, kept);
#pragma unroll
      for (int i = 0; i < 8; ++i) p[i / 4][i % 4] *= kept[i / 4][i % 4];
      add_dots(queries, p);
#pragma unroll
      for (int i = 0; i < 8; ++i) kept[i / 4][i % 4] *= s[i / 4][i % 4];
      add_values(queries, kept);
    } else {
      add_values(queries, s);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) p[i / 4][i % 4] *= s[i / 4][i % 4];
    keep_score_grads(queries, p);
  }

  __device__ void store(BFloat16* v_grad, std::int64_t stride, int rows) {
    store_tile<kSize>(v_grad, stride, rows, v_grad_, {1.0F, 1.0F});
  }

 private:
  static __device__ int column(int queries, int n) { return queries * kTile + 8 * n + lane() % 4 * 2; }

  __device__ void add_dots(int queries, float (&p)[2][4]) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const float2 minus_dot = *reinterpret_cast<const float2*>(shared_.minus_dot + column(queries, n));
#pragma unroll
      for (int i = 0; i < 4; ++i) p[n][i] += i % 2 == 0 ? minus_dot.x : minus_dot.y;
    }
  }

  /// What this lane's weights were multiplied with.
  __device__ void factors_of(int queries, float (&kept)[2][4]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int n = i / 4, half = i % 4 / 2;
      kept[n][i % 4] = factors_.one(column(queries, n) + i % 2, 2 * tile_ + half, lane() / 4);
    }
  }

  __device__ void add_values(int queries, const float (&weights)[2][4]) {
    std::uint32_t p[4], g[4];
    pack_as_a(p, weights[0], weights[1]);
    const std::uint32_t down = shared_.start + queries * R::kAll + R::kGrad + R::rows_first();
#pragma unroll
    for (int step = 0; step < R::kSteps; ++step) {
      load_turned(g, at_step(down, step));
      multiply_add(v_grad_[2 * step], v_grad_[2 * step + 1], p, g);
    }
  }

  __device__ void keep_score_grads(int queries, const float (&grads)[2][4]) {
    std::uint32_t s[4];
    pack_as_a(s, grads[0], grads[1]);
    const std::uint32_t to = shared_.block(tile_, queries) + Block::at(lane() / 4, 0) + lane() % 4 * 4;
    store_word(to, s[0]);
    store_word(to + Block::kHalf, s[1]);
    store_word(to ^ kChunk, s[2]);
    store_word((to ^ kChunk) + Block::kHalf, s[3]);
  }

  Shared<kSize> shared_;
  int tile_;
  WeightFactors factors_;
  bool there_[2], whole_;
  std::uint32_t k_[R::kSteps][4], v_[R::kSteps][4];
  float v_grad_[kSize / 8][4] = {};
};

/// Sixteen rows' gradients, of queries from all keys or of keys from all queries, times the gradients of their scores.
template <int kSize, bool kOfQueries>
__device__ void store_grads(const Shared<kSize>& shared, int tile, int tiles, BFloat16* to, std::int64_t stride,
                            int rows, float scale) {
  using R = Record<kSize>;
  float sums[kSize / 8][4] = {};
  const std::uint32_t down = shared.start + (kOfQueries ? R::kKey : 0) + R::rows_first();
#pragma unroll 2
  for (int other = 0; other < tiles; ++other) {
    std::uint32_t grads[4], b[4];
    if constexpr (kOfQueries) {
      load_turned(grads, shared.block(other, tile) + Block::at(lane() / 16 * 8 + lane() % 8, lane() / 8 % 2));
    } else {
      load(grads, shared.block(tile, other) + Block::at(lane() % 16, lane() / 16));
    }
#pragma unroll
    for (int step = 0; step < R::kSteps; ++step) {
      load_turned(b, at_step(down + other * R::kAll, step));
      multiply_add(sums[2 * step], sums[2 * step + 1], grads, b);
    }
  }
  store_tile<kSize>(to, stride, rows, sums, {scale, scale});
}

// A block for each text and head, heads next to each other; texts of more than `over` and at most `room` rows.
template <int kSize, int kWarps, int kBlocks, bool kDrop>
__global__ __launch_bounds__(kWarps* kWarp, kBlocks) void backward_kernel(QkvShape shape, QkvBackward pass, int over,
                                                                          int room) {
  extern __shared__ __align__(128) unsigned char memory[];
  constexpr int kThreads = kWarps * kWarp;
  const auto heads = static_cast<unsigned>(shape.heads);
  const unsigned text = blockIdx.x / heads, head = blockIdx.x % heads;
  const int begin = shape.offsets[text], length = shape.offsets[text + 1] - begin;
  if (length <= over || length > room) return;
  const int tiles = (length + kTile - 1) / kTile, padded = tiles * kTile;
  const Shared<kSize> shared(memory, room);
  const std::int64_t across = shape.heads * kSize, stride = 3 * across, own = begin * across + head * kSize;
  copy_text<kSize, kThreads>(shared.start, static_cast<const BFloat16*>(pass.qkv) + begin * stride + head * kSize,
                             static_cast<const BFloat16*>(pass.grad_out) + own, across, length, tiles);
  const float* lse = pass.lse + head * shape.tokens + begin;
#pragma unroll 1
  for (int i = threadIdx.x; i < padded; i += kThreads) shared.minus_lse[i] = i < length ? lse[i] * -kLog2E : -INFINITY;
  wait_and_take_dots<kSize, kThreads>(shared, static_cast<const BFloat16*>(pass.out) + own, across, length, tiles);
  __syncthreads();

  auto* to = static_cast<BFloat16*>(pass.grad_qkv) + begin * stride + head * kSize;
  const WeightFactors factors(shape, head, begin);
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  for (int tile = warp; tile < tiles; tile += kWarps) {
    KeyTile<kSize, kDrop> keys(shared, tile, length, factors);
#pragma unroll 1
    for (int queries = 0; queries < tiles; ++queries) keys.meet(queries, shape.scale * kLog2E);
    BFloat16* k_grad = to + across + tile * kTile * stride;
    const int rows = length - tile * kTile;
    keys.store(k_grad + across, stride, rows);
    __syncwarp();
    store_grads<kSize, false>(shared, tile, tiles, k_grad, stride, rows, shape.scale);
  }
  __syncthreads();
  for (int tile = warp; tile < tiles; tile += kWarps) {
    store_grads<kSize, true>(shared, tile, tiles, to + tile * kTile * stride, stride, length - tile * kTile,
                             shape.scale);
  }
}

template <int kSize, int kWarps, int kBlocks>
void launch_sized(const QkvShape& shape, const QkvBackward& pass, int over, int room, void* stream) {
  const auto kernel = shape.dropout.threshold == 0 ? backward_kernel<kSize, kWarps, kBlocks, false>
                                                   : backward_kernel<kSize, kWarps, kBlocks, true>;
  launch_for_texts(kernel, kWarps, Shared<kSize>::bytes(room), shape, pass, over, room, stream);
}

// As measured on an H200: short texts leave more than two warps idle, and where a few texts are longer than 96, shared
// memory for them would leave too few blocks for all others.
template <int kSize>
void launch_by_length(const QkvShape& shape, const QkvBackward& pass, void* stream) {
  constexpr int kShort = 48, kMost = 96;
  const int room = rounded_to_tiles(shape.longest);
  if (room <= kShort) return launch_sized<kSize, 2, 8>(shape, pass, 0, room, stream);
  launch_sized<kSize, 4, 4>(shape, pass, 0, room < kMost ? room : kMost, stream);
  if (room > kMost) launch_sized<kSize, 4, 4>(shape, pass, kMost, room, stream);
}

}  // namespace

void qkv_attention_backward_cuda(const QkvShape& shape, const QkvBackward& pass, void* stream) {
  if (shape.size == 32) return launch_by_length<32>(shape, pass, stream);
  launch_by_length<64>(shape, pass, stream);
}

}  // namespace hasa::kernels
