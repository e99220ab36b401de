#pragma once

// Tiles of 16 rows in shared memory and the tensor cores' products of them, for the attention kernels (.cu alone).
//
// A product multiplies a [16, 16] (rows by depth) with b [16, 8] (depth by columns). In registers, lane l of a warp
// has, with g = l / 4 and t = l % 4: of a sum, rows g and g + 8, columns 2 t and 2 t + 1; of a, the same rows and
// depths 2 t, 2 t + 1, 2 t + 8, 2 t + 9; so two sums side by side, rounded, are an a.

#include <cuda_bf16.h>

#include <cstdint>

#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/encoder/qkv_attention_kernels.h"

namespace hasa::kernels {

using BFloat16 = __nv_bfloat16;

constexpr int kWarp = 32;
constexpr int kTile = 16;     // rows
constexpr int kChunk = 16;    // bytes that move together
constexpr int kPerChunk = 8;  // values
constexpr float kLog2E = 1.4426950408889634F;
constexpr float kLn2 = 0.6931471805599453F;

inline __device__ int lane() { return static_cast<int>(threadIdx.x % kWarp); }

/// A tile's rows of kChunks chunks, the chunks of a row so ordered that eight rows' same chunk lies in different
/// banks. A tile begins at a multiple of 128 bytes, so that a lane comes from its first two chunks to its next two by
/// an exclusive or with 32: addresses below are of step 0, a step being 16 columns.
template <int kChunks>
struct TileLayout {
  static constexpr int kRowBytes = kChunks * kChunk;
  static constexpr int kBytes = kTile * kRowBytes;

  static __device__ std::uint32_t at(int row, int chunk) {
    return row * kRowBytes + (chunk ^ (kChunks == 8 ? row & 7 : row >> 1 & 3)) * kChunk;
  }
  /// For a of stored rows [row, depth], and turned for two b side by side of stored rows [depth, column].
  static __device__ std::uint32_t rows_first() { return at(lane() % 16, lane() / 16); }
  /// For two b side by side of stored rows [column, depth], and turned for a of stored rows [depth, row].
  static __device__ std::uint32_t chunks_first() { return at(lane() / 16 * 8 + lane() % 8, lane() / 8 % 2); }
};
inline __device__ std::uint32_t at_step(std::uint32_t address, int step) { return address ^ (step * 2 * kChunk); }

inline __device__ void load(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
}
inline __device__ void load_turned(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
}
inline __device__ void store_word(std::uint32_t to, std::uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;\n" ::"r"(to), "r"(value));
}
inline __device__ uint4 load_chunk(std::uint32_t from) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];\n" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(from));
  return v;
}
/// From global memory, or zeros; under way until wait_for_copies.
inline __device__ void copy_chunk(std::uint32_t to, const void* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(there ? kChunk : 0));
}
inline __device__ void wait_for_copies() { asm volatile("cp.async.wait_all;\n" ::: "memory"); }

inline __device__ void multiply_add(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// Sums of 16 columns.
inline __device__ void multiply_add(float (&left)[4], float (&right)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[4]) {
  multiply_add(left, a, b[0], b[1]);
  multiply_add(right, a, b[2], b[3]);
}

inline __device__ std::uint32_t pack(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&both);
}
inline __device__ void pack_as_a(std::uint32_t (&a)[4], const float (&left)[4], const float (&right)[4]) {
  a[0] = pack(left[0], left[1]);
  a[1] = pack(left[2], left[3]);
  a[2] = pack(right[0], right[1]);
  a[3] = pack(right[2], right[3]);
}

inline __device__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}

/// What dropout multiplies one head's weights of a text with.
class WeightFactors {
 public:
  __device__ WeightFactors(const QkvShape& shape, unsigned head, int begin)
      : first_row_(head * shape.tokens + begin),
        key_(shape.dropout.key()),
        threshold_(shape.dropout.threshold),
        scale_(shape.dropout.scale) {}

  /// For a row of the text: of eight keys, those from 8 * group on, the one or two at a place.
  __device__ float one(int row, int group, int place) const {
    const std::uint32_t word = word_of(row, group, place / 2);
    return factor(place % 2 == 0 ? word & 0xffffU : word >> 16);
  }
  __device__ float2 two(int row, int group, int pair) const {
    const std::uint32_t word = word_of(row, group, pair);
    return {factor(word & 0xffffU), factor(word >> 16)};
  }

 private:
  __device__ std::uint32_t word_of(int row, int group, int word) const {
    const EightDraws draws =
        philox(static_cast<std::uint64_t>((first_row_ + row) * (kLongestAttended / 8) + group), key_);
    return word < 2 ? (word == 0 ? draws.words[0] : draws.words[1]) : (word == 2 ? draws.words[2] : draws.words[3]);
  }
  __device__ float factor(std::uint32_t draw) const { return draw >= threshold_ ? scale_ : 0.0F; }

  std::int64_t first_row_;
  std::uint64_t key_;
  std::uint32_t threshold_;
  float scale_;
};

/// Writes the first `rows` of 16 rows, those from g on times a factor and those from g + 8 on times another, to
/// memory `stride` values apart. Neighbouring lanes swap pairs, so that a row's 32 bytes are written at once.
template <int kSize>
__device__ void store_tile(BFloat16* to, std::int64_t stride, int rows, const float (&sums)[kSize / 8][4],
                           const float (&factor)[2]) {
  const bool odd = lane() % 2 == 1;
  to += lane() / 4 * stride + (odd ? kPerChunk : 0) + lane() % 4 / 2 * 4;
#pragma unroll
  for (int half = 0; half < 2; ++half, to += 8 * stride) {
    const bool there = lane() / 4 + 8 * half < rows;
#pragma unroll
    for (int n = 0; n < kSize / 8; n += 2) {
      const std::uint32_t left = pack(sums[n][2 * half] * factor[half], sums[n][2 * half + 1] * factor[half]);
      const std::uint32_t right = pack(sums[n + 1][2 * half] * factor[half], sums[n + 1][2 * half + 1] * factor[half]);
      const std::uint32_t got = __shfl_xor_sync(0xffffffffU, odd ? left : right, 1);
      if (there) *reinterpret_cast<uint2*>(to + n * kPerChunk) = odd ? make_uint2(got, right) : make_uint2(left, got);
    }
  }
}

/// Which chunks of a text's rows a thread copies: one column of chunks, every kRows-th row. place(row, where) for
/// each row, `where` being its chunk's place among records of kRecord bytes.
template <int kSize, int kThreads, int kRecord>
struct CopiedChunks {
  static constexpr int kChunks = kSize / kPerChunk, kRows = kThreads / kChunks;
  static constexpr int kPerTile = kRows < kTile ? kTile / kRows : 1, kTiles = kRows < kTile ? 1 : kRows / kTile;
  static_assert(kRows % 8 == 0, "one order of chunks for all rows of a thread");

  int chunk = static_cast<int>(threadIdx.x % kChunks), first = static_cast<int>(threadIdx.x / kChunks);

  template <class Place>
  __device__ void for_each(int tiles, const Place& place) const {
    const int row = first % kTile;
    std::uint32_t where = first / kTile * kRecord + TileLayout<kChunks>::at(row, chunk);
    for (int tile = first / kTile; tile < tiles; tile += kTiles, where += kTiles * kRecord) {
#pragma unroll
      for (int i = 0; i < kPerTile; ++i) {
        place(tile * kTile + row + i * kRows, where + i * kRows * TileLayout<kChunks>::kRowBytes);
      }
    }
  }
};

/// A block for each text and head of kernel(shape, pass, over, room): texts of more than `over` and at most `room`
/// rows.
template <class Kernel, class Pass>
void launch_for_texts(Kernel kernel, int warps, int shared_bytes, const QkvShape& shape, const Pass& pass, int over,
                      int room, void* stream) {
  check_cuda("allow attention its shared memory",
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  check_cuda(
      "prefer shared memory for attention",
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  const unsigned blocks = blocks_for(shape.texts * shape.heads, 1);
  launch(kernel, {blocks, warps * kWarp, static_cast<std::size_t>(shared_bytes)}, stream, shape, pass, over, room);
}

inline int rounded_to_tiles(std::int64_t rows) { return static_cast<int>((rows + kTile - 1) / kTile) * kTile; }

}  // namespace hasa::kernels
