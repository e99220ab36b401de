#include "hasa/families/kbgan/transd.h"

#include "hasa/base/testing.h"
#include "hasa/model/queries_for_tests.h"

namespace hasa {
namespace {

TEST(TransD, RanksByTheSquareOfTheDistanceOfItsFormula) {
  torch::manual_seed(1);
  const TransD model(10, 15, 3, torch::kCPU);
  const auto scorer = model.scorer();
  const torch::Tensor heads = torch::arange(12), directed = torch::arange(12).remainder(6);
  const torch::Tensor candidates = torch::arange(15).unsqueeze(0).expand({12, 15});
  const torch::Tensor scores = model.scores(heads, directed, candidates);
  EXPECT_TRUE(torch::allclose(scorer->scores(testing::queries_of(heads, directed)), -scores.square(), 1e-4, 1e-4));
}

TEST(TransD, GivesATripleOneScoreFromEitherEnd) {
  torch::manual_seed(2);
  const TransD model(8, 9, 2, torch::kCPU);
  const torch::Tensor h = torch::tensor({0, 3}, torch::kInt64), r = torch::tensor({1, 0}, torch::kInt64),
                      t = torch::tensor({5, 8}, torch::kInt64);
  EXPECT_TRUE(torch::allclose(model.scores(h, r, t.unsqueeze(1)), model.scores(t, r + 2, h.unsqueeze(1)), 1e-5, 1e-6));
}

TEST(TransD, IsTransEWhereNothingIsProjected) {
  torch::manual_seed(3);
  const TransD model(6, 7, 1, torch::kCPU);
  model.parameters()[1].tensor.zero_();  // every e' . e is 0
  const torch::Tensor e = model.parameters()[0].tensor, r = model.parameters()[2].tensor;
  const torch::Tensor zero = torch::zeros({1}, torch::kInt64);
  const torch::Tensor expected = -(e[0] + r[0] - e).norm(2, {1}, false);
  EXPECT_TRUE(torch::allclose(model.scores(zero, zero, torch::arange(7).unsqueeze(0))[0], expected));
}

}  // namespace
}  // namespace hasa
