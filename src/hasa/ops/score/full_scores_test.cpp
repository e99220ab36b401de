#include "hasa/ops/score/full_scores.h"

#include <ATen/Context.h>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

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

TEST(FullScores, AreTheSameWhicheverQueriesStandBesideThem) {
  torch::manual_seed(5);
  for (const Similarity similarity : {Similarity::dot, Similarity::negative_l1, Similarity::negative_l2}) {
    const torch::Tensor queries = torch::randn({130, 96}), entities = torch::randn({777, 96});
    const torch::Tensor together = full_scores(queries, entities, similarity);
    for (const std::int64_t rows : {1, 3, 50}) {
      for (std::int64_t first = 0; first < 130; first += rows) {
        const std::int64_t last = std::min<std::int64_t>(130, first + rows);
        ASSERT_TRUE(torch::equal(full_scores(queries.slice(0, first, last), entities, similarity),
                                 together.slice(0, first, last)));
      }
    }
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
