#include "hasa/ops/complex_rows.h"

#include "hasa/base/testing.h"
#include "hasa/ops/device.h"

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

TEST(ComplexRows, RefuseRowsThatDoNotFit) {
  const Case c;
  EXPECT_ERROR(complex_product(c.x, c.angles), "do not go with [7, 6]");
  EXPECT_ERROR(complex_rotation(c.x, c.y, 1), "do not go with [7, 12]");
  EXPECT_ERROR(complex_product(c.x, c.y, torch::zeros({6}, torch::kBool)), "must be [7] of bool");
}

TEST(ComplexRowsGpu, GiveTheValuesAndGradientsOfTheCpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(3);
  const Case c(300);
  const Tensor weight = torch::randn({300, 12});
  for (const bool angles : {false, true}) {
    for (const bool turned : {false, true}) {
      const auto passed = [&](torch::Device device) {
        const Tensor x = c.x.to(device, torch::kFloat32, false, /*copy=*/true).requires_grad_();
        const Tensor y = (angles ? c.angles : c.y).to(device, torch::kFloat32, false, /*copy=*/true).requires_grad_();
        const Tensor which = turned ? c.turned.to(device) : Tensor();
        const Tensor out = angles ? complex_rotation(x, y, 2.5, which) : complex_product(x, y, which);
        (out * weight.to(device)).sum().backward();
        return torch::cat({out.detach(), x.grad(), y.grad()}, 1).cpu();
      };
      EXPECT_TRUE(torch::allclose(passed(torch::kCUDA), passed(torch::kCPU), 1e-5, 1e-5)) << angles << turned;
    }
  }
}

}  // namespace
}  // namespace hasa
