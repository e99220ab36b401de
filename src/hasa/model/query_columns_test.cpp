#include "hasa/model/query_columns.h"

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

torch::Tensor ids(const std::vector<std::int64_t>& values) { return torch::tensor(values, torch::kInt64); }

TEST(ColumnsOf, HoldsHeadsRelationsAndTailsApart) {
  const std::vector<Triple> triples{{1, 2, 3}, {4, 5, 6}};
  const QueryColumns columns = columns_of(triples, torch::kCPU);
  EXPECT_TRUE(torch::equal(columns.heads, ids({1, 4})));
  EXPECT_TRUE(torch::equal(columns.relations, ids({2, 5})));
  EXPECT_TRUE(torch::equal(columns.tails, ids({3, 6})));
}

TEST(ColumnsOf, IsEmptyForNoTriples) { EXPECT_EQ(columns_of({}, torch::kCPU).tails.numel(), 0); }

TEST(KnownRows, HoldsTheKnownAnswersOfEachQuery) {
  // Training: dog, fox -> canine -> animal by hypernym; paw part_of dog.
  const Graph g = testing::SmallBenchmark().read();
  const EntityId canine = *g.find_entity("canine"), dog = *g.find_entity("dog"), fox = *g.find_entity("fox");
  const RelationId hypernym = *g.find_relation("hypernym");
  const std::vector<Triple> queries{
      {dog, hypernym, 0}, {dog, g.relations() + hypernym, 0}, {canine, g.relations() + hypernym, 0}};
  const RaggedIds rows = known_rows(KnownAnswers::of_training(g), queries);
  EXPECT_TRUE(torch::equal(rows.offsets, ids({0, 1, 1, 3})));
  EXPECT_TRUE(torch::equal(rows.ids, ids({canine, std::min(dog, fox), std::max(dog, fox)})));
}

TEST(KnownIndex, HasTheRowsOfKnownRows) {
  const Graph g = testing::SmallBenchmark().read();
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  std::vector<Triple> queries;
  for (EntityId head = 0; head < g.entities(); ++head) {
    for (RelationId relation = 0; relation < 2 * g.relations(); ++relation) queries.push_back({head, relation, 0});
  }
  const IdRanges rows = KnownIndex(known, torch::kCPU).rows(queries);
  std::size_t empty = 0;
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const auto& [head, relation, tail] = queries[static_cast<std::size_t>(i)];
    const auto expected = known.tails(head, relation);
    const torch::Tensor row = rows.ids.slice(0, rows.begin[i].item<std::int64_t>(), rows.end[i].item<std::int64_t>());
    EXPECT_EQ(std::vector<EntityId>(row.const_data_ptr<EntityId>(), row.const_data_ptr<EntityId>() + row.numel()),
              std::vector<EntityId>(expected.begin(), expected.end()));
    empty += expected.empty() ? 1 : 0;
  }
  EXPECT_GT(empty, 0U);
  EXPECT_EQ(KnownIndex(known, torch::kCPU).rows({}).rows(), 0);
}

TEST(KnownRows, HasNoRowsForNoQueries) {
  const Graph g = testing::SmallBenchmark().read();
  EXPECT_EQ(known_rows(KnownAnswers::of_training(g), {}).rows(), 0);
}

}  // namespace
}  // namespace hasa
