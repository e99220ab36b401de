#include "hasa/ops/table/table_gradient.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/row_ops_for_tests.h"

namespace hasa {
namespace {

using testing::difference;
using testing::largest;
using torch::Tensor;

TEST(TableGradient, AddsUpTheRowsOfEachIdAtAwkwardSizes) {
  torch::manual_seed(5);
  for (const std::int64_t tokens : {0, 1, 31, 33, 1025}) {
    const Tensor rows = torch::randn({tokens, 16}), ids = torch::randint(7, {tokens}, torch::kInt64);
    EXPECT_LT(difference(table_gradient(rows, ids, 9), table_gradient_reference(rows, ids, 9)), 1e-4);
  }
}

TEST(TableGradient, ReadsRowsThatAreNotContiguous) {
  torch::manual_seed(5);
  const Tensor rows = torch::randn({16, 33}).t(), ids = torch::randint(7, {66}, torch::kInt64).slice(0, 0, 66, 2);
  EXPECT_LT(difference(table_gradient(rows, ids, 9), table_gradient_reference(rows, ids, 9)), 1e-4);
}

TEST(TableGradient, LeavesOutTokensThatTookNoRow) {
  const Tensor rows = torch::arange(12, torch::kFloat32).view({4, 3});
  const Tensor ids = torch::tensor({1, -1, 1, -40000}, torch::kInt64);
  const Tensor expected = torch::tensor({{0., 0., 0.}, {6., 8., 10.}});
  EXPECT_EQ(difference(table_gradient(rows, ids, 2), expected), 0);
  EXPECT_EQ(difference(table_gradient_reference(rows, ids, 2), expected), 0);
}

TEST(TableGradient, RefusesRowsAndIdsOfDifferentLengths) {
  EXPECT_ERROR(table_gradient(torch::ones({3, 8}), torch::zeros({2}, torch::kInt64), 4), "ids [tokens]");
}

TEST(TableGradientGpu, AddsUpTheRowsOfEachIdHoweverTheyFallIntoChunks) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(6);
  for (const std::int64_t tokens : {0, 1, 31, 32, 33, 64, 65, 1025, 5000}) {
    for (const std::int64_t kinds : {1, 2, 40, 1000, 40000}) {  // from one id for all to hardly any twice
      const Tensor ids = torch::randint(kinds, {tokens}, torch::kInt64).to(torch::kCUDA);
      for (const std::int64_t width : {8, 384, 4096}) {
        if (width == 4096 && (tokens > 1025 || kinds > 1000)) continue;
        const Tensor rows = torch::randn({tokens, width}).to(torch::kCUDA);
        const Tensor expected = table_gradient_reference(rows, ids, kinds + 1);
        // float32 sums of 5000 terms of size 1; for bfloat16 the rounding of rows and of the result.
        EXPECT_LE(difference(table_gradient(rows, ids, kinds + 1), expected), 1e-5 * (1 + largest(expected)));
        EXPECT_LE(difference(table_gradient(rows.to(torch::kBFloat16), ids, kinds + 1),
                             table_gradient_reference(rows.to(torch::kBFloat16), ids, kinds + 1)),
                  1.0 / 256 * largest(expected));
      }
    }
  }
}

TEST(TableGradientGpu, LeavesOutTokensThatTookNoRowHoweverManyTheyAre) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(7);
  for (const std::int64_t tokens : {1, 33, 65, 5000}) {
    for (const std::int64_t kinds : {3, 40000}) {
      // Down to ids that 16 bits would take for others.
      const Tensor ids = torch::randint(-70000, kinds, {tokens}, torch::kInt64).to(torch::kCUDA);
      const Tensor rows = torch::randn({tokens, 384}).to(torch::kCUDA);
      EXPECT_LE(difference(table_gradient(rows, ids, kinds), table_gradient_reference(rows, ids, kinds)), 1e-4);
    }
  }
}

TEST(TableGradientGpu, ComesOutTheSameTwice) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Tensor rows = torch::randn({9001, 768}).to(torch::kCUDA, torch::kBFloat16);
  const Tensor ids = torch::randint(300, {9001}, torch::kInt64).to(torch::kCUDA);
  EXPECT_TRUE(torch::equal(table_gradient(rows, ids, 300), table_gradient(rows, ids, 300)));
}

}  // namespace
}  // namespace hasa
