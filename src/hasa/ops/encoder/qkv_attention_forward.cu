#include "hasa/ops/encoder/qkv_attention_tiles.cuh"

namespace hasa::kernels {
namespace {

constexpr int kKeyTiles = 4;  // scores held at once: of 64 keys

/// What shared memory holds of 16 rows of one head: query, key, value.
template <int kSize>
struct Record : TileLayout<kSize / 8> {
  using Layout = TileLayout<kSize / 8>;
  static constexpr int kSteps = kSize / 16;
  static constexpr int kKey = Layout::kBytes, kValue = 2 * Layout::kBytes, kAll = 3 * Layout::kBytes;
};

/// Copies a text's rows into records, zeros past its end; all threads of the block.
template <int kSize, int kThreads>
__device__ void copy_text(std::uint32_t start, const BFloat16* from, std::int64_t across, int length, int tiles) {
  using R = Record<kSize>;
  const CopiedChunks<kSize, kThreads, R::kAll> mine;
  const BFloat16* q = from + mine.first * 3 * across + mine.chunk * kPerChunk;
  const BFloat16 *k = q + across, *v = k + across;
  const std::int64_t step = 3 * across * mine.kRows;
  mine.for_each(tiles, [&](int row, std::uint32_t where) {
    const std::uint32_t to = start + where;
    const bool there = row < length;
    copy_chunk(to, q, there);
    copy_chunk(to + R::kKey, k, there);
    copy_chunk(to + R::kValue, v, there);
    q += step, k += step, v += step;
  });
}

/// Sixteen rows of one head's queries against all keys of their text.
template <int kSize, bool kDrop>
class QueryTile {
 public:
  using R = Record<kSize>;

  __device__ QueryTile(std::uint32_t start, int tile, int length, float scale_log2, const WeightFactors& factors)
      : start_(start), tile_(tile), length_(length), scale_log2_(scale_log2), factors_(factors) {}

  __device__ void attend(int tiles) {
    int first = 0;
    for (; first + kKeyTiles < tiles; first += kKeyTiles) attend_some<kKeyTiles>(first);
    switch (tiles - first) {
      case 1: return attend_some<1>(first);
      case 2: return attend_some<2>(first);
      case 3: return attend_some<3>(first);
      default: return attend_some<kKeyTiles>(first);
    }
  }

  __device__ void store(BFloat16* out, std::int64_t stride, float* lse, int rows) {
    float inverse[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      total_[r] += __shfl_xor_sync(0xffffffffU, total_[r], 1);
      total_[r] += __shfl_xor_sync(0xffffffffU, total_[r], 2);
      const int row = lane() / 4 + 8 * r;
      if (lane() % 4 == 0 && row < rows) lse[row] = (most_[r] * scale_log2_ + __log2f(total_[r])) * kLn2;
      inverse[r] = __fdividef(1.0F, total_[r]);
    }
    store_tile<kSize>(out, stride, rows, out_, inverse);
  }

 private:
  template <int kCount>
  __device__ void attend_some(int first) {
    float s[2 * kCount][4] = {};
    const std::uint32_t q_at = start_ + tile_ * R::kAll + R::rows_first();
    const std::uint32_t k_at = start_ + first * R::kAll + R::kKey + R::chunks_first();
#pragma unroll
    for (int step = 0; step < R::kSteps; ++step) {
      std::uint32_t q[4], k[4];
      load(q, at_step(q_at, step));
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        load(k, at_step(k_at, step) + j * R::kAll);
        multiply_add(s[2 * j], s[2 * j + 1], q, k);
      }
    }
    hide_past_the_end(s[2 * kCount - 2], s[2 * kCount - 1], (first + kCount - 1) * kTile);
    take_largest<kCount>(s, first > 0);
    const std::uint32_t v_at = start_ + first * R::kAll + R::kValue + R::rows_first();
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      std::uint32_t weights[4], v[4];
      weigh(s[2 * j], 2 * (first + j));
      weigh(s[2 * j + 1], 2 * (first + j) + 1);
      pack_as_a(weights, s[2 * j], s[2 * j + 1]);
#pragma unroll
      for (int step = 0; step < R::kSteps; ++step) {
        load_turned(v, at_step(v_at, step) + j * R::kAll);
        multiply_add(out_[2 * step], out_[2 * step + 1], weights, v);
      }
    }
  }

  __device__ void hide_past_the_end(float (&left)[4], float (&right)[4], int first_key) {
    const int key = first_key + lane() % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (key + i % 2 >= length_) left[i] = -INFINITY;
      if (key + 8 + i % 2 >= length_) right[i] = -INFINITY;
    }
  }

  /// Of these scores and those before; what was summed so far is brought to it.
  template <int kCount>
  __device__ void take_largest(const float (&s)[2 * kCount][4], bool again) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float most = most_[r];
#pragma unroll
      for (int n = 0; n < 2 * kCount; ++n) most = fmaxf(most, fmaxf(s[n][2 * r], s[n][2 * r + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 2));
      if (again) {
        const float factor = exp2_fast((most_[r] - most) * scale_log2_);
        total_[r] *= factor;
#pragma unroll
        for (int n = 0; n < kSize / 8; ++n) {
          out_[n][2 * r] *= factor;
          out_[n][2 * r + 1] *= factor;
        }
      }
      most_[r] = most;
      shift_[r] = -most * scale_log2_;
    }
  }

  /// Of eight keys. What is dropped counts for the sum that weights are divided by, as everything does.
  __device__ void weigh(float (&s)[4], int eight) {
#pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = exp2_fast(fmaf(s[i], scale_log2_, shift_[i / 2]));
    total_[0] += s[0] + s[1];
    total_[1] += s[2] + s[3];
    if constexpr (kDrop) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float2 factor = factors_.two(tile_ * kTile + lane() / 4 + 8 * r, eight, lane() % 4);
        s[2 * r] *= factor.x;
        s[2 * r + 1] *= factor.y;
      }
    }
  }

  std::uint32_t start_;
  int tile_, length_;
  float scale_log2_;
  WeightFactors factors_;
  float out_[kSize / 8][4] = {};
  float most_[2] = {-INFINITY, -INFINITY};  // of a row, before the scale
  float shift_[2];
  float total_[2] = {0, 0};  // of this lane's keys
};

// A block for each text and head, heads next to each other; texts of more than `over` and at most `room` rows.
template <int kSize, int kWarps, int kBlocks, bool kDrop>
__global__ __launch_bounds__(kWarps* kWarp, kBlocks) void forward_kernel(QkvShape shape, QkvForward pass, int over,
                                                                         int room) {
  extern __shared__ __align__(128) unsigned char shared[];
  const auto heads = static_cast<unsigned>(shape.heads);
  const unsigned text = blockIdx.x / heads, head = blockIdx.x % heads;
  const int begin = shape.offsets[text], length = shape.offsets[text + 1] - begin;
  if (length <= over || length > room) return;
  const int tiles = (length + kTile - 1) / kTile;
  const auto start = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const std::int64_t across = shape.heads * kSize;
  copy_text<kSize, kWarps * kWarp>(start, static_cast<const BFloat16*>(pass.qkv) + begin * 3 * across + head * kSize,
                                   across, length, tiles);
  wait_for_copies();
  __syncthreads();

  const WeightFactors factors(shape, head, begin);
  auto* out = static_cast<BFloat16*>(pass.out) + begin * across + head * kSize;
  float* lse = pass.lse + head * shape.tokens + begin;
  for (int tile = static_cast<int>(threadIdx.x / kWarp); tile < tiles; tile += kWarps) {
    QueryTile<kSize, kDrop> queries(start, tile, length, shape.scale * kLog2E, factors);
    queries.attend(tiles);
    queries.store(out + tile * kTile * across, across, lse + tile * kTile, length - tile * kTile);
  }
}

template <int kSize, int kWarps, int kBlocks>
void launch_sized(const QkvShape& shape, const QkvForward& pass, void* stream) {
  const int room = rounded_to_tiles(shape.longest);
  const auto kernel = shape.dropout.threshold == 0 ? forward_kernel<kSize, kWarps, kBlocks, false>
                                                   : forward_kernel<kSize, kWarps, kBlocks, true>;
  launch_for_texts(kernel, kWarps, room / kTile * Record<kSize>::kAll, shape, pass, /*over=*/0, room, stream);
}

}  // namespace

// Warps of a block and blocks of a processor as measured on an H200: short texts leave more than two warps idle, and
// shared memory for long ones leaves too few blocks of two.
void qkv_attention_forward_cuda(const QkvShape& shape, const QkvForward& pass, void* stream) {
  if (shape.size == 32) return launch_sized<32, 2, 10>(shape, pass, stream);
  if (shape.longest <= 48) return launch_sized<64, 2, 10>(shape, pass, stream);
  if (shape.longest <= 96) return launch_sized<64, 2, 8>(shape, pass, stream);
  launch_sized<64, 4, 4>(shape, pass, stream);
}

}  // namespace hasa::kernels
