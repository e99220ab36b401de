#include "hasa/eval/embeddings_folder.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

Graph graph() {
  return parse_benchmark(
      {"small", {"train.txt", "a\tr\tb\n"}, {"valid.txt", "a\tr\tb\n"}, {"test.txt", "b\tr\ta\n"}, {}, {}});
}

TEST(EmbeddingsFolder, HoldsVectorsAndTheirIdsInOneOrder) {
  const testing::TempDir folder;
  const Graph g = graph();
  const torch::Tensor entities = torch::arange(6, torch::kFloat32).view({2, 3});
  const auto queries = with_inverses(g.triples(Split::test), g.relations());
  EmbeddingsFolder out(folder / "e", g, entities, queries.size());
  out.add(std::span(queries).first(1), entities.slice(0, 1, 2));
  out.add(std::span(queries).last(1), entities.t().contiguous().t().slice(0, 0, 1));
  EXPECT_FALSE(std::filesystem::exists(folder / "e"));
  out.commit();
  EXPECT_EQ(read_file(folder / "e/entities.txt"), "a\nb\n");
  EXPECT_EQ(read_file(folder / "e/queries.tsv"), "head\trelation\ttail\tdirection\nb\tr\ta\ttail\nb\tr\ta\thead\n");
  const std::vector<float> expected{3, 4, 5, 0, 1, 2};
  const std::string bytes(reinterpret_cast<const char*>(expected.data()), sizeof(float) * expected.size());
  EXPECT_TRUE(read_file(folder / "e/queries.npy").ends_with(bytes));
}

TEST(EmbeddingsFolder, LeavesNothingBehindWithoutItsCommitAndTouchesNothingElse) {
  const testing::TempDir folder;
  const Graph g = graph();
  {
    const EmbeddingsFolder out(folder / "e", g, torch::ones({2, 3}), 2);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_file(folder / "mine.txt", "keep");
  EXPECT_ERROR(EmbeddingsFolder::check_free(folder.path()), "mine.txt, which would not be overwritten");
  EmbeddingsFolder::check_free(folder / "new");
}

}  // namespace
}  // namespace hasa
