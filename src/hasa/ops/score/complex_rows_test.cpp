#include "hasa/ops/score/complex_rows.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

struct Case {
  explicit Case(std::int64_t rows = 7)
      : x(torch::randn({rows, 12})),
        y(torch::randn({rows, 12})),
        angles(torch::randn({rows, 6})),
        turned(torch::arange(rows).remainder(2).to(torch::kBool)) {}

  Tensor x, y, angles, turned;
};

Tensor as_complex(const Tensor& x) {
  return torch::complex(real_parts(x).contiguous(), imaginary_parts(x).contiguous());
}
Tensor as_rows(const Tensor& z) { return torch::cat({torch::real(z), torch::imag(z)}, -1); }

TEST(ComplexRows, MultiplyAsComplexNumbersDo) {
  torch::manual_seed(1);
  const Case c;
  EXPECT_TRUE(torch::allclose(complex_product(c.x, c.y), as_rows(as_complex(c.x) * as_complex(c.y)), 1e-5, 1e-6));
  const Tensor factor = torch::where(c.turned.unsqueeze(1), as_complex(c.y).conj(), as_complex(c.y));
  EXPECT_TRUE(torch::allclose(complex_product(c.x, c.y, c.turned), as_rows(as_complex(c.x) * factor), 1e-5, 1e-6));
}

TEST(ComplexRows, TurnByAnglesInTheUnitGiven) {
  torch::manual_seed(2);
  const Case c;
  const Tensor sign = torch::where(c.turned, -1.0, 1.0).unsqueeze(1).to(torch::kFloat32);
  const Tensor factor = torch::polar(torch::ones({7, 6}), c.angles * 2.5 * sign);
  EXPECT_TRUE(
      torch::allclose(complex_rotation(c.x, c.angles, 2.5, c.turned), as_rows(as_complex(c.x) * factor), 1e-5, 1e-5));
}

/// Values and gradients of what ships against the reference's, for products and rotations, turned and not.
void expect_reference(std::int64_t rows, torch::Device device) {
  torch::manual_seed(3);
  const Case c(rows);
  const Tensor grad = torch::randn({12, rows}).t();  // not contiguous
  const auto there = [&](const Tensor& t) { return t.to(device, torch::kFloat32, false, /*copy=*/true); };
  for (const bool angles : {false, true}) {
    for (const Tensor& turned : {Tensor(), c.turned}) {
      const Tensor x = there(c.x).requires_grad_(), y = there(angles ? c.angles : c.y).requires_grad_();
      const Tensor which = turned.defined() ? turned.to(device) : turned;
      const Tensor out = angles ? complex_rotation(x, y, 2.5, which) : complex_product(x, y, which);
      out.backward(there(grad));
      const ComplexRowsReference expected = angles ? complex_rotation_reference(c.x, c.angles, 2.5, grad, turned)
                                                   : complex_product_reference(c.x, c.y, grad, turned);
      // A few float32 products of numbers up to about 5.
      const auto near = [](const Tensor& got, const Tensor& of) {
        return torch::allclose(got.detach().cpu().to(torch::kFloat64), of, 1e-5, 2e-5);
      };
      EXPECT_TRUE(near(out, expected.out)) << rows << angles << turned.defined();
      EXPECT_TRUE(near(x.grad(), expected.x_grad)) << rows << angles << turned.defined();
      EXPECT_TRUE(near(y.grad(), expected.y_grad)) << rows << angles << turned.defined();
    }
  }
}

TEST(ComplexRows, MatchTheDoubleReferenceAtAwkwardSizes) {
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) expect_reference(rows, torch::kCPU);
}

TEST(ComplexRows, RefuseRowsThatDoNotFit) {
  const Case c;
  EXPECT_ERROR(complex_product(c.x, c.angles), "do not go with [7, 6]");
  EXPECT_ERROR(complex_rotation(c.x, c.y, 1), "do not go with [7, 12]");
  EXPECT_ERROR(complex_product(c.x, c.y, torch::zeros({6}, torch::kBool)), "must be [7] of bool");
}

TEST(ComplexRowsGpu, MatchTheDoubleReferenceAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) expect_reference(rows, torch::kCUDA);
}

}  // namespace
}  // namespace hasa
