#pragma once

// What the kernels of path models share: a few neighbouring columns a thread. For .cu
// files alone.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "hasa/ops/core/launch.cuh"

namespace hasa::kernels {

using BFloat16 = __nv_bfloat16;

constexpr int kWarpLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffU;

inline __device__ float as_float(std::uint32_t half) { return __uint_as_float(half << 16); }
inline __device__ std::uint32_t two_halves(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

/// N neighbouring values as floats, N even; where they stand is aligned to their size, up to 16 bytes.
template <int N>
__device__ void load_columns(const float* from, float (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 2) {
    const float2 two = *reinterpret_cast<const float2*>(from + i);
    v[i] = two.x, v[i + 1] = two.y;
  }
}
template <int N>
__device__ void load_columns(const BFloat16* from, float (&v)[N]) {
  std::uint32_t words[N / 2];
  if constexpr (N % 8 == 0) {
#pragma unroll
    for (int i = 0; i < N / 8; ++i)
      *reinterpret_cast<uint4*>(words + 4 * i) = *reinterpret_cast<const uint4*>(from + 8 * i);
  } else if constexpr (N % 4 == 0) {
#pragma unroll
    for (int i = 0; i < N / 4; ++i)
      *reinterpret_cast<uint2*>(words + 2 * i) = *reinterpret_cast<const uint2*>(from + 4 * i);
  } else {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) words[i] = *reinterpret_cast<const std::uint32_t*>(from + 2 * i);
  }
#pragma unroll
  for (int i = 0; i < N / 2; ++i) {  // a bfloat16 is the upper half of a float
    v[2 * i] = __uint_as_float(words[i] << 16);
    v[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000U);
  }
}

template <int N>
__device__ void store_columns(float* to, const float (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 2) *reinterpret_cast<float2*>(to + i) = make_float2(v[i], v[i + 1]);
}
template <int N>
__device__ void store_columns(BFloat16* to, const float (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 2) *reinterpret_cast<std::uint32_t*>(to + i) = two_halves(v[i], v[i + 1]);
}

/// Places of extremes, N of them (4 or 8), where they stand aligned to 8 bytes or, of 32 bits, to 16.
template <int N>
__device__ void load_places(const std::uint16_t* from, std::uint16_t (&places)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const ushort4 four = *reinterpret_cast<const ushort4*>(from + i);
    places[i] = four.x, places[i + 1] = four.y, places[i + 2] = four.z, places[i + 3] = four.w;
  }
}
template <int N>
__device__ void load_places(const std::int32_t* from, std::int32_t (&places)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const int4 four = *reinterpret_cast<const int4*>(from + i);
    places[i] = four.x, places[i + 1] = four.y, places[i + 2] = four.z, places[i + 3] = four.w;
  }
}
template <int N>
__device__ void store_places(std::uint16_t* to, const std::uint16_t (&places)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 4)
    *reinterpret_cast<ushort4*>(to + i) = make_ushort4(places[i], places[i + 1], places[i + 2], places[i + 3]);
}
template <int N>
__device__ void store_places(std::int32_t* to, const std::int32_t (&places)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 4)
    *reinterpret_cast<int4*>(to + i) = make_int4(places[i], places[i + 1], places[i + 2], places[i + 3]);
}

inline int device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, which, device);
  return value;
}

}  // namespace hasa::kernels
