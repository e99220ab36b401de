#include "hasa/kg/write_benchmark.h"

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

TEST(WriteBenchmark, IsReadBackAsTheSameGraph) {
  const testing::TempDir folder;
  testing::SmallBenchmark small;
  small.entities += "cat\t\tunlinked, unnamed\n";
  const Graph graph = small.read();
  write_benchmark(graph, folder / "out");
  EXPECT_EQ(read_benchmark(folder / "out").content_hash(), graph.content_hash());
  EXPECT_ERROR(write_benchmark(graph, folder / "out"), "already exists");
}

TEST(WriteBenchmark, RefusesIdsThatTheLayoutCannotHold) {
  const testing::TempDir folder;
  const Graph graph = parse_triples({"t.csv", "\"a\nb\",r,c\n"}, {}, {});
  EXPECT_ERROR(write_benchmark(graph, folder / "out"), "contains a tab or a line break");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace hasa
