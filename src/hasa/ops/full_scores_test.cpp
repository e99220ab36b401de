#include "hasa/ops/full_scores.h"

#include <ATen/Context.h>

#include "hasa/base/testing.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

/// As TF32 reads a number: 10 bits behind the point.
torch::Tensor as_tf32(const torch::Tensor& x) {
  return x.view(torch::kInt32).bitwise_and(torch::full({}, -8192, torch::kInt32)).view(torch::kFloat32);
}

TEST(FullScores, AreDotProductsForAnyNumberOfThem) {
  torch::manual_seed(1);
  for (const std::int64_t n : {0, 1, 33, 1025}) {
    const torch::Tensor queries = torch::randn({7, 300}), entities = torch::randn({n, 300});
    EXPECT_TRUE(torch::allclose(full_scores(queries, entities).to(torch::kFloat64),
                                queries.to(torch::kFloat64).mm(entities.to(torch::kFloat64).t()), 1e-5, 1e-4));
  }
}

TEST(FullScores, PassTheCheckAtEveryWidthAndSize) {
  torch::manual_seed(2);
  for (const std::int64_t d : {1, 31, 768, 8192}) {
    for (const double size : {1e-12, 1.0, 1e12}) full_scores(torch::randn({65, d}) * size, torch::rand({129, d}));
  }
}

TEST(FullScores, AreRefusedWhenTheyWereRoundedAsTf32Rounds) {
  torch::manual_seed(3);
  for (const std::int64_t d : {32, 256, 768}) {
    const torch::Tensor queries = torch::randn({64, d}), entities = torch::randn({200, d});
    EXPECT_ERROR(check_full_precision(as_tf32(queries).mm(as_tf32(entities).t()), queries, entities),
                 "not computed in full float32");
  }
}

TEST(FullScoresGpu, AreInFullPrecisionEvenWhereTf32IsAllowed) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(4);
  at::globalContext().setAllowTF32CuBLAS(true);
  const torch::Tensor queries = torch::randn({1024, 768}, torch::kCUDA);
  const torch::Tensor entities = torch::randn({4096, 768}, torch::kCUDA);
  EXPECT_NO_THROW(full_scores(queries, entities));
  const torch::Tensor rounded = torch::mm(queries, entities.t());
  EXPECT_ERROR(check_full_precision(rounded, queries, entities), "not computed in full float32");
  at::globalContext().setAllowTF32CuBLAS(false);
}

}  // namespace
}  // namespace hasa
