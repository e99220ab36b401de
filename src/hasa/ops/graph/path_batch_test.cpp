#include "hasa/ops/graph/path_batch.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/graph/path_graphs_for_tests.h"

namespace hasa {
namespace {

/// 0 - 1 - 2 - 3 - 4 in a chain, and 5 by itself.
PathGraph chain() {
  return make_path_graph(torch::arange(4), torch::zeros({4}, torch::kInt64), torch::arange(4) + 1, 6, 1);
}

torch::Tensor ids(std::initializer_list<std::int64_t> values) {
  return torch::tensor(std::vector<std::int64_t>(values), torch::kInt64);
}

TEST(PathBatch, OrdersPairsByTheirDistanceFromTheHead) {
  const PathBatchPtr batch = make_path_batch(chain(), ids({0, 3}), {}, 2);
  EXPECT_EQ(batch->rows, (std::vector<std::int64_t>{2, 5, 7}));
  // (entity, query): the heads (0, 0) and (3, 1); one step away (1, 0), (2, 1), (4, 1); two steps (1, 1), (2, 0).
  EXPECT_TRUE(torch::equal(batch->pairs, torch::tensor({0, 7, 2, 5, 9, 3, 4}, torch::kInt32)));
  for (std::int64_t row = 0; row < 7; ++row)
    EXPECT_EQ(batch->position.view(-1)[batch->pairs[row].item<std::int64_t>()].item<std::int64_t>(), row);
  EXPECT_EQ(batch->position[5][0].item<std::int64_t>(), 2147483647);
}

TEST(PathBatch, FindsTheDistancesOfAQueue) {
  const PathGraph graph = draw_triples(60, 70, 2).graph();
  const torch::Tensor heads = ids({0, 7, 7, 31});
  const PathBatchPtr batch = make_path_batch(graph, heads, {}, 5);
  const torch::Tensor expected = path_distances_reference(graph, heads).view(-1);
  for (std::int64_t pair = 0; pair < expected.size(0); ++pair) {
    const auto distance = expected[pair].item<std::int64_t>();
    const auto row = batch->position.view(-1)[pair].item<std::int64_t>();
    const bool reached = distance >= 0 && distance <= 5;
    ASSERT_EQ(reached, row < batch->rows[5]);
    if (!reached) continue;
    EXPECT_LT(row, batch->rows[static_cast<std::size_t>(distance)]);
    if (distance > 0) EXPECT_GE(row, batch->rows[static_cast<std::size_t>(distance - 1)]);
  }
}

TEST(PathBatch, DoesNotWalkAlongHiddenTriples) {
  const PathBatchPtr batch = make_path_batch(chain(), ids({0}), ids({1}), 4);
  EXPECT_EQ(batch->rows, (std::vector<std::int64_t>{1, 2, 2, 2, 2}));
}

TEST(PathBatch, ScalesByTheLogarithmOfVisibleDegreesOverItsMean) {
  const PathBatchPtr batch = make_path_batch(chain(), ids({0}), ids({3}), 1);
  const torch::Tensor logs = (torch::tensor({1.0F, 2.0F, 2.0F, 1.0F, 0.0F, 0.0F}) + 1).log();
  EXPECT_TRUE(torch::allclose(batch->scale, logs / logs.mean()));
}

TEST(PathBatch, RefusesMoreLayersThanDistancesCanSay) {
  EXPECT_ERROR(make_path_batch(chain(), ids({0}), {}, 255), "1 to 254 layers, not 255");
}

TEST(PathBatchGpu, FindsTheSameRowsAsTheCpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t entities : {1, 31, 33, 2000}) {
    const PathGraph graph = draw_triples(entities, entities * 2, 3).graph();
    const torch::Tensor heads = torch::randint(entities, {37}, torch::kInt64), hidden = ids({0});
    const PathBatchPtr here = make_path_batch(graph, heads, hidden, 4);
    const PathBatchPtr there = make_path_batch(graph.to(torch::kCUDA), heads.cuda(), hidden.cuda(), 4);
    EXPECT_EQ(here->rows, there->rows);
    EXPECT_TRUE(torch::equal(here->pairs, there->pairs.cpu()));
    EXPECT_TRUE(torch::equal(here->position, there->position.cpu()));
  }
}

}  // namespace
}  // namespace hasa
