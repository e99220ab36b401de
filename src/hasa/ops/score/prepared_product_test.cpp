#include "hasa/ops/score/prepared_product.h"

#include "hasa/base/testing.h"
#include "hasa/ops/score/ordered_product.h"

namespace hasa {
namespace {

TEST(PreparedProduct, GivesTheBitsOfTheOrderedProduct) {
  torch::manual_seed(2);
  for (const std::int64_t rows : {0, 1, 2, 13, 14, 33}) {
    for (const std::int64_t depth : {1, 31, 256, 300, 520}) {
      for (const std::int64_t columns : {1, 31, 33, 1025}) {
        const torch::Tensor a = torch::randn({rows, depth}), b = torch::randn({columns, depth});
        EXPECT_TRUE(torch::equal(PreparedProduct(b.t())(a), ordered_product(a, b.t())))
            << rows << " " << depth << " " << columns;
      }
    }
  }
}

TEST(PreparedProduct, TakesMatricesThatAreNotContiguous) {
  const torch::Tensor a = torch::randn({40, 9}).t().slice(1, 0, 40, 2), b = torch::randn({20, 70}).slice(1, 0, 70, 2);
  EXPECT_TRUE(torch::equal(PreparedProduct(b)(a), ordered_product(a, b)));
}

TEST(PreparedProduct, RefusesWhatDoesNotFit) {
  const PreparedProduct product(torch::zeros({4, 3}));
  EXPECT_ERROR(product(torch::zeros({2, 5})), "do not fit each other");
  EXPECT_ERROR(product(torch::zeros({2, 4}, torch::kFloat64)), "expected matrices of float32");
}

}  // namespace
}  // namespace hasa
