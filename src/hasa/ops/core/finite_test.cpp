#include "hasa/ops/core/finite.h"

#include <limits>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(AllFinite, FindsASingleValueThatIsNoNumberWhereverItStands) {
  for (const auto type : {torch::kFloat32, torch::kFloat64, torch::kHalf, torch::kBFloat16}) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
      for (const std::int64_t size : {1, 31, 33, 1025}) {
        const torch::Tensor values = torch::randn({size}).to(type);
        EXPECT_TRUE(all_finite(values));
        values[size - 1] = bad;
        EXPECT_FALSE(all_finite(values)) << type << " " << bad << " " << size;
      }
    }
  }
}

TEST(AllFinite, FindsInfinitiesThatCancel) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(all_finite(torch::tensor({inf, -inf, 1.0F})));
}

TEST(AllFinite, IsNotFooledByASumThatOverflows) {
  EXPECT_TRUE(all_finite(torch::full({1000}, std::numeric_limits<float>::max())));
  EXPECT_TRUE(all_finite(torch::full({1000}, 6e4).to(torch::kHalf)));
}

TEST(AllFinite, TakesEmptyTensorsIntegersAndViews) {
  EXPECT_TRUE(all_finite(torch::empty({0, 4})));
  EXPECT_TRUE(all_finite(torch::arange(5)));
  const torch::Tensor grid = torch::zeros({4, 4});
  grid[2][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(all_finite(grid.t()));
  EXPECT_TRUE(all_finite(grid.slice(1, 0, 3)));
}

}  // namespace
}  // namespace hasa
