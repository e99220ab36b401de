#include "hasa/nn/vector_context.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// 0 -r0-> 1, 1 -r1-> 2; entity 3 stands alone.
RelationalEdges small_graph() {
  const auto ids = [](const std::vector<std::int64_t>& values) { return torch::tensor(values, torch::kInt64); };
  return make_relational_edges(ids({0, 1}), ids({0, 1}), ids({1, 2}), /*entity_count=*/4, /*relation_count=*/2);
}

TEST(VectorContext, FollowsItsFormulaForOneLayer) {
  torch::manual_seed(2);
  const VectorContext context(1, 6, 4, 0.1);
  const NamedTensors p = context.parameters();
  ASSERT_EQ(p.size(), 5U);
  const torch::Tensor w = p[0].tensor, b = p[1].tensor, rho = p[2].tensor;
  const torch::Tensor x = torch::randn({4, 6});
  const torch::Tensor y = torch::linear(x, w, b);
  // Entity 1 hears 0 through the inverse of r0 and 2 through r1.
  const torch::Tensor heard = (y[0] * rho[2] + y[2] * rho[1]) / 2;
  const torch::Tensor expected = torch::layer_norm(x[1] + torch::gelu(heard), {6}, p[3].tensor, p[4].tensor);
  EXPECT_TRUE(torch::allclose(context(x, small_graph(), {}, false)[1], expected, 1e-5, 1e-6));
}

TEST(VectorContext, HidesALeftOutTripleFromBothItsEnds) {
  torch::manual_seed(2);
  const VectorContext context(2, 6, 4, 0.0);
  const torch::Tensor x = torch::randn({4, 6});
  const torch::Tensor keep = torch::tensor({false, true});
  torch::Tensor changed = x.clone();
  changed[0] += torch::randn({6});  // a constant would be lost in the layer norm
  const torch::Tensor before = context(x, small_graph(), keep, false),
                      after = context(changed, small_graph(), keep, false);
  EXPECT_TRUE(torch::equal(before.slice(0, 1), after.slice(0, 1)));
  EXPECT_FALSE(torch::allclose(before[0], after[0]));
}

TEST(VectorContext, WithTwoLayersHearsNeighboursOfNeighbours) {
  const VectorContext context(2, 6, 4, 0.0);
  const torch::Tensor x = torch::randn({4, 6});
  torch::Tensor changed = x.clone();
  changed[0] += 1;
  const torch::Tensor before = context(x, small_graph(), {}, false), after = context(changed, small_graph(), {}, false);
  EXPECT_FALSE(torch::allclose(before[2], after[2]));
  EXPECT_TRUE(torch::equal(before[3], after[3]));
}

TEST(VectorContext, SendsGradientsToEveryParameter) {
  const VectorContext context(2, 6, 4, 0.0);
  context(torch::randn({4, 6}), small_graph(), {}, true).square().sum().backward();
  for (const NamedTensor& p : context.parameters()) EXPECT_TRUE(p.tensor.grad().defined()) << p.name;
}

}  // namespace
}  // namespace hasa
