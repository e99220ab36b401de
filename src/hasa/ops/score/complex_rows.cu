#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/score/complex_rows_kernels.h"

// A thread for each complex number.

namespace hasa::kernels {
namespace {

constexpr int kComplexThreads = 256;

struct Number {
  float real, imaginary;
};

__device__ Number product(const Number& a, const Number& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
__device__ Number conjugate(const Number& a) { return {a.real, -a.imaginary}; }

/// Number `i` of `rows` rows one after the other: where its row begins, and which of the row's it is.
struct Place {
  std::int64_t row, at;
  __device__ Place(const ComplexRows& pass, std::int64_t i) : row(i / pass.half), at(i % pass.half) {}

  __device__ Number load(const float* from, std::int64_t half) const {
    const float* mine = from + row * 2 * half + at;
    return {mine[0], mine[half]};
  }
  __device__ void store(const Number& value, float* to, std::int64_t half) const {
    float* mine = to + row * 2 * half + at;
    mine[0] = value.real;
    mine[half] = value.imaginary;
  }
};

/// What x is multiplied by.
__device__ Number factor_of(const ComplexRows& pass, const Place& place, bool turned) {
  Number factor;
  if (pass.angles) {
    sincosf(pass.y[place.row * pass.half + place.at] * pass.unit, &factor.imaginary, &factor.real);
  } else {
    factor = place.load(pass.y, pass.half);
  }
  return turned ? conjugate(factor) : factor;
}

__global__ void forward_kernel(ComplexRows pass, float* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kComplexThreads + threadIdx.x;
  if (i >= pass.rows * pass.half) return;
  const Place place(pass, i);
  const bool turned = pass.turned != nullptr && pass.turned[place.row];
  place.store(product(place.load(pass.x, pass.half), factor_of(pass, place, turned)), out, pass.half);
}

__global__ void backward_kernel(ComplexRows pass, const float* grad, float* x_grad, float* y_grad) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kComplexThreads + threadIdx.x;
  if (i >= pass.rows * pass.half) return;
  const Place place(pass, i);
  const bool turned = pass.turned != nullptr && pass.turned[place.row];
  const Number g = place.load(grad, pass.half), factor = factor_of(pass, place, turned);
  place.store(product(g, conjugate(factor)), x_grad, pass.half);
  const Number of_factor = product(g, conjugate(place.load(pass.x, pass.half)));
  const float sign = turned ? -1.0F : 1.0F;
  if (pass.angles) {
    // The factor is (cos a, sin a) of a = sign * unit * angle.
    y_grad[place.row * pass.half + place.at] =
        sign * pass.unit * (of_factor.imaginary * factor.real - of_factor.real * factor.imaginary);
  } else {
    place.store({of_factor.real, sign * of_factor.imaginary}, y_grad, pass.half);
  }
}

LaunchShape shape_for(const ComplexRows& pass) {
  return {blocks_for(pass.rows * pass.half, kComplexThreads), kComplexThreads};
}

}  // namespace

void complex_rows_forward_cuda(const ComplexRows& pass, float* out, void* stream) {
  launch(forward_kernel, shape_for(pass), stream, pass, out);
}

void complex_rows_backward_cuda(const ComplexRows& pass, const float* grad, float* x_grad, float* y_grad,
                                void* stream) {
  launch(backward_kernel, shape_for(pass), stream, pass, grad, x_grad, y_grad);
}

}  // namespace hasa::kernels
