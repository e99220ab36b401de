#include <complex>

#include "hasa/ops/score/complex_rows.h"

namespace hasa {
namespace {

using Number = std::complex<double>;

torch::Tensor in_double(const torch::Tensor& t) { return t.detach().to(torch::kCPU, torch::kFloat64).contiguous(); }

Number load(const torch::Tensor& rows, std::int64_t row, std::int64_t place) {
  const auto from = rows.accessor<double, 2>();
  return {from[row][place], from[row][place + rows.size(1) / 2]};
}
void store(const Number& value, const torch::Tensor& rows, std::int64_t row, std::int64_t place) {
  auto to = rows.accessor<double, 2>();
  to[row][place] = value.real();
  to[row][place + rows.size(1) / 2] = value.imag();
}
bool is_turned(const torch::Tensor& turned, std::int64_t row) { return turned.defined() && turned[row].item<bool>(); }

}  // namespace

ComplexRowsReference complex_product_reference(const torch::Tensor& x_in, const torch::Tensor& y_in,
                                               const torch::Tensor& grad_in, const torch::Tensor& turned) {
  const torch::Tensor x = in_double(x_in), y = in_double(y_in), grad = in_double(grad_in);
  ComplexRowsReference result{torch::zeros_like(x), torch::zeros_like(x), torch::zeros_like(y)};
  for (std::int64_t row = 0; row < x.size(0); ++row) {
    for (std::int64_t place = 0; place < x.size(1) / 2; ++place) {
      const Number a = load(x, row, place), b = load(y, row, place), g = load(grad, row, place);
      const bool conjugate = is_turned(turned, row);
      store(a * (conjugate ? std::conj(b) : b), result.out, row, place);
      // Of Re(conj(g) a b): the gradient of a factor is g times the other's conjugate.
      store(g * (conjugate ? b : std::conj(b)), result.x_grad, row, place);
      store(conjugate ? std::conj(g) * a : g * std::conj(a), result.y_grad, row, place);
    }
  }
  return result;
}

ComplexRowsReference complex_rotation_reference(const torch::Tensor& x_in, const torch::Tensor& angles_in, double unit,
                                                const torch::Tensor& grad_in, const torch::Tensor& turned) {
  const torch::Tensor x = in_double(x_in), angles = in_double(angles_in), grad = in_double(grad_in);
  ComplexRowsReference result{torch::zeros_like(x), torch::zeros_like(x), torch::zeros_like(angles)};
  for (std::int64_t row = 0; row < x.size(0); ++row) {
    for (std::int64_t place = 0; place < x.size(1) / 2; ++place) {
      const double sign = is_turned(turned, row) ? -1 : 1;
      const Number turn = std::polar(1.0, sign * unit * angles.accessor<double, 2>()[row][place]);
      const Number a = load(x, row, place), g = load(grad, row, place);
      store(a * turn, result.out, row, place);
      store(g * std::conj(turn), result.x_grad, row, place);
      // d(a e^(i s u t)) / dt = i s u a e^(i s u t)
      const Number slope = Number(0, sign * unit) * a * turn;
      result.y_grad.accessor<double, 2>()[row][place] = (std::conj(g) * slope).real();
    }
  }
  return result;
}

}  // namespace hasa
