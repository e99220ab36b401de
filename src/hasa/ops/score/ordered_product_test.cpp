#include "hasa/ops/score/ordered_product.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// Sets LibTorch's number of threads for one test.
class Threads {
 public:
  explicit Threads(int count) { at::set_num_threads(count); }
  ~Threads() { at::set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = at::get_num_threads();
};

void expect_product(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor x = a.to(torch::kFloat64), y = b.to(torch::kFloat64);
  // A float32 sum of k terms, each rounded: some units in the last place of the sum of the magnitudes.
  const torch::Tensor off = (ordered_product(a, b).to(torch::kFloat64) - x.mm(y)).abs();
  EXPECT_TRUE(off.le(x.abs().mm(y.abs()) * 2e-6 + 1e-30).all().item<bool>()) << a.sizes() << b.sizes();
}

TEST(OrderedProduct, IsTheProductAtAwkwardSizes) {
  torch::manual_seed(1);
  for (const std::int64_t m : {0, 1, 2, 13, 15, 33, 337}) {
    for (const std::int64_t n : {0, 1, 31, 33, 513, 1025}) {
      for (const std::int64_t k : {1, 3, 31, 257}) expect_product(torch::randn({m, k}), torch::randn({k, n}));
    }
  }
  EXPECT_TRUE(torch::equal(ordered_product(torch::ones({2, 0}), torch::ones({0, 3})), torch::zeros({2, 3})));
}

TEST(OrderedProduct, TakesMatricesOfAnyStrides) {
  torch::manual_seed(2);
  const torch::Tensor a = torch::randn({70, 90}), b = torch::randn({90, 110});
  const torch::Tensor plain = ordered_product(a, b);
  EXPECT_TRUE(torch::equal(ordered_product(a.t().contiguous().t(), b), plain));
  EXPECT_TRUE(torch::equal(ordered_product(a, b.t().contiguous().t()), plain));
  const torch::Tensor spread = torch::zeros({140, 180});
  spread.slice(0, 0, 140, 2).slice(1, 0, 180, 2).copy_(a);
  EXPECT_TRUE(torch::equal(ordered_product(spread.slice(0, 0, 140, 2).slice(1, 0, 180, 2), b), plain));
  EXPECT_TRUE(
      torch::equal(ordered_product(a.slice(0, 0, 1).expand({5, 90}), b), plain.slice(0, 0, 1).expand({5, 110})));
}

TEST(OrderedColumns, GiveTheSameBitsRearrangedBeforehand) {
  torch::manual_seed(4);
  for (const std::int64_t n : {0, 1, 31, 33, 513, 1025, 3000}) {
    for (const std::int64_t k : {0, 1, 31, 256, 257, 700}) {
      const torch::Tensor b = torch::randn({n, k}).t();
      const OrderedColumns columns(b);
      EXPECT_EQ(columns.columns(), n);
      for (const std::int64_t m : {0, 1, 3, 14, 45}) {
        const torch::Tensor a = torch::randn({m, k});
        EXPECT_TRUE(torch::equal(columns.product(a), ordered_product(a, b))) << m << " " << n << " " << k;
      }
    }
  }
  EXPECT_ERROR(OrderedColumns(torch::randn({3, 4})).product(torch::randn({2, 4})), "does not fit");
}

TEST(OrderedProduct, IsTheSameForAnyNumberOfThreads) {
  torch::manual_seed(3);
  const torch::Tensor a = torch::randn({301, 700}), b = torch::randn({700, 1100});
  const Threads one(1);
  const torch::Tensor expected = ordered_product(a, b);
  for (const int count : {2, 3, 4, 7}) {
    const Threads several(count);
    EXPECT_TRUE(torch::equal(ordered_product(a, b), expected)) << count;
  }
}

TEST(OrderedProduct, IsTheSameInBlocksOfAnyShape) {
  torch::manual_seed(4);
  const torch::Tensor a = torch::randn({90, 300}), b = torch::randn({300, 400});
  const torch::Tensor whole = ordered_product(a, b);
  for (const std::int64_t step : {1, 2, 7, 16, 64}) {
    for (std::int64_t first = 0; first < 90; first += step) {
      const std::int64_t last = std::min<std::int64_t>(90, first + step);
      EXPECT_TRUE(torch::equal(ordered_product(a.slice(0, first, last), b), whole.slice(0, first, last))) << step;
    }
  }
  EXPECT_TRUE(torch::equal(ordered_product(a, b.slice(1, 33, 334)), whole.slice(1, 33, 334)));
}

TEST(OrderedProduct, OfEqualRowsIsEqualWhereverTheyStand) {
  torch::manual_seed(5);
  const torch::Tensor a = torch::randn({1, 333}).expand({47, 333}), b = torch::randn({333, 1}).expand({333, 129});
  const torch::Tensor out = ordered_product(a.contiguous(), b.contiguous());
  EXPECT_TRUE(out.eq(out[0][0]).all().item<bool>());
}

TEST(OrderedProduct, PassesInfinitiesAndNoNumbersOn) {
  const torch::Tensor a = torch::ones({3, 20}), b = torch::ones({20, 40});
  a[1][7] = INFINITY;
  b[4][9] = NAN;
  const torch::Tensor out = ordered_product(a, b);
  EXPECT_EQ(out[0][0].item<float>(), 20);
  EXPECT_EQ(out[1][0].item<float>(), INFINITY);
  EXPECT_TRUE(std::isnan(out[0][9].item<float>()));
  EXPECT_EQ(out.isnan().sum().item<std::int64_t>(), 3);
}

TEST(OrderedProduct, HasTheGradientsOfAProduct) {
  torch::manual_seed(6);
  const torch::Tensor a = torch::randn({40, 70}).requires_grad_(), b = torch::randn({70, 50}).requires_grad_();
  const torch::Tensor x = a.detach().to(torch::kFloat64).requires_grad_(),
                      y = b.detach().to(torch::kFloat64).requires_grad_();
  const torch::Tensor direction = torch::randn({40, 50});
  ordered_product(a, b).backward(direction);
  x.mm(y).backward(direction.to(torch::kFloat64));
  EXPECT_TRUE(torch::allclose(a.grad().to(torch::kFloat64), x.grad(), 1e-5, 1e-5));
  EXPECT_TRUE(torch::allclose(b.grad().to(torch::kFloat64), y.grad(), 1e-5, 1e-5));
}

TEST(OrderedProduct, RefusesMatricesThatDoNotFit) {
  EXPECT_ERROR(ordered_product(torch::ones({2, 3}), torch::ones({2, 3})), "do not fit each other");
  EXPECT_ERROR(ordered_product(torch::ones({2, 3}), torch::ones({3, 2}, torch::kFloat64)), "expected float32");
}

}  // namespace
}  // namespace hasa
