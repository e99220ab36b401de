#pragma once

// Numbers of a table's rows, float32 or bfloat16, some neighbours at a time and as floats. For .cu files alone.

#include "hasa/ops/core/cuda_rows.cuh"

namespace hasa::kernels {

/// How kWidth neighbours lie in memory; they stand on as many bytes as they take.
template <class Number, int kWidth>
struct Neighbours;
template <>
struct Neighbours<float, 1> {
  using Bits = float;
};
template <>
struct Neighbours<float, 2> {
  using Bits = float2;
};
template <>
struct Neighbours<float, 4> {
  using Bits = float4;
};
template <>
struct Neighbours<BFloat16, 1> {
  using Bits = unsigned short;
};
template <>
struct Neighbours<BFloat16, 2> {
  using Bits = unsigned;
};
template <>
struct Neighbours<BFloat16, 4> {
  using Bits = uint2;
};

inline __device__ void unpack(float from, float (&to)[1]) { to[0] = from; }
inline __device__ void unpack(float2 from, float (&to)[2]) {
  to[0] = from.x;
  to[1] = from.y;
}
inline __device__ void unpack(float4 from, float (&to)[4]) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}
// A bfloat16 is the upper half of a float.
inline __device__ void unpack(unsigned short from, float (&to)[1]) {
  to[0] = __uint_as_float(static_cast<unsigned>(from) << 16);
}
inline __device__ void unpack(unsigned from, float (&to)[2]) {
  to[0] = __uint_as_float(from << 16);
  to[1] = __uint_as_float(from & 0xffff0000U);
}
inline __device__ void unpack(uint2 from, float (&to)[4]) {
  to[0] = __uint_as_float(from.x << 16);
  to[1] = __uint_as_float(from.x & 0xffff0000U);
  to[2] = __uint_as_float(from.y << 16);
  to[3] = __uint_as_float(from.y & 0xffff0000U);
}

template <class Number, int kWidth>
__device__ void load(const Number* from, float (&to)[kWidth]) {
  unpack(*reinterpret_cast<const typename Neighbours<Number, kWidth>::Bits*>(from), to);
}

/// Where the kernel writes nothing.
template <class Number, int kWidth>
__device__ void load_unchanging(const Number* from, float (&to)[kWidth]) {
  unpack(__ldg(reinterpret_cast<const typename Neighbours<Number, kWidth>::Bits*>(from)), to);
}

}  // namespace hasa::kernels
