#pragma once

#include "hasa/ops/score/similarity.h"

// What the similarities are made of, for kernels: each is a sum of terms over places of two vectors, and something
// done to the sum. V is a float on a GPU and sixteen floats on a CPU. A place has one number of each vector, or, for
// complex numbers, two: real and imaginary part.
//
// With x and y the vectors, s their similarity and g the gradient of a loss in s, the gradient in x is the sum of
// coefficient(g, s) * slope(x, y); in y, since all similarities are symmetric, coefficient(g, s) * slope(y, x).

#ifdef __CUDACC__
#define HASA_TERM __device__ __forceinline__
#else
#include "hasa/ops/core/cpu_vector.h"
#define HASA_TERM __attribute__((always_inline)) inline
#endif

namespace hasa::kernels {

#ifdef __CUDACC__
/// A large number at 0.
HASA_TERM float inverse_root(float x) { return rsqrtf(fmaxf(x, 1e-36F)); }
/// Within three units of the last place from 1e-36 on; exact roots take five times as long.
HASA_TERM float root(float x) { return x * inverse_root(x); }
HASA_TERM float root_of_one(float x) { return sqrtf(x); }
#else
using cpu::inverse_root;
using cpu::root;
HASA_TERM float root_of_one(float x) { return __builtin_sqrtf(x); }
#endif

struct DotTerms {
  static constexpr int kParts = 1;
  template <class V>
  static HASA_TERM V term(const V* x, const V* y) {
    return x[0] * y[0];
  }
  static HASA_TERM float score(float sum) { return sum; }
  static HASA_TERM float coefficient(float gradient, float) { return gradient; }
  template <class V>
  static HASA_TERM void add_slope(const V*, const V* y, float coefficient, V* sum) {
    sum[0] += y[0] * coefficient;
  }
};

struct L1Terms {
  static constexpr int kParts = 1;
  template <class V>
  static HASA_TERM V term(const V* x, const V* y) {
    const V difference = x[0] - y[0];
    return difference < 0.0F ? -difference : difference;
  }
  static HASA_TERM float score(float sum) { return -sum; }
  static HASA_TERM float coefficient(float gradient, float) { return gradient; }
  template <class V>
  static HASA_TERM void add_slope(const V* x, const V* y, float coefficient, V* sum) {
    const V zero = V{}, step = zero + coefficient;
    sum[0] -= x[0] > y[0] ? step : (x[0] < y[0] ? -step : zero);
  }
};

struct L2Terms {
  static constexpr int kParts = 1;
  template <class V>
  static HASA_TERM V term(const V* x, const V* y) {
    const V difference = x[0] - y[0];
    return difference * difference;
  }
  static HASA_TERM float score(float sum) { return -root_of_one(sum); }
  /// The distance is -score; two equal vectors have no slope.
  static HASA_TERM float coefficient(float gradient, float score) { return score == 0.0F ? 0.0F : gradient / score; }
  template <class V>
  static HASA_TERM void add_slope(const V* x, const V* y, float coefficient, V* sum) {
    sum[0] += (x[0] - y[0]) * coefficient;
  }
};

struct ModulusTerms {
  static constexpr int kParts = 2;
  template <class V>
  static HASA_TERM V term(const V* x, const V* y) {
    const V real = x[0] - y[0], imaginary = x[1] - y[1];
    return root(real * real + imaginary * imaginary);
  }
  static HASA_TERM float score(float sum) { return -sum; }
  static HASA_TERM float coefficient(float gradient, float) { return gradient; }
  template <class V>
  static HASA_TERM void add_slope(const V* x, const V* y, float coefficient, V* sum) {
    const V real = x[0] - y[0], imaginary = x[1] - y[1];
    const V over = inverse_root(real * real + imaginary * imaginary) * coefficient;
    sum[0] -= real * over;
    sum[1] -= imaginary * over;
  }
};

/// Calls body with the terms of a similarity: body(L1Terms{}).
template <class Body>
void with_terms(Similarity similarity, const Body& body) {
  switch (similarity) {
    case Similarity::dot: return body(DotTerms{});
    case Similarity::negative_l1: return body(L1Terms{});
    case Similarity::negative_l2: return body(L2Terms{});
    case Similarity::negative_modulus: return body(ModulusTerms{});
  }
}

}  // namespace hasa::kernels
