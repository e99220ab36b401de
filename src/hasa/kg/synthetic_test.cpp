#include "hasa/kg/synthetic.h"

#include <algorithm>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

TEST(Synthetic, HasTheSizeAskedForAndDistinctTriples) {
  SyntheticOptions options;
  options.entities = 500;
  options.relations = 8;
  options.triples = 3000;
  const Graph graph = synthetic_graph(options);
  EXPECT_EQ(graph.entities(), 500);
  EXPECT_EQ(graph.relations(), 8);
  const Audit& audit = graph.audit();
  EXPECT_EQ(audit.triples[0] + audit.triples[1] + audit.triples[2], 3000U);
  EXPECT_EQ(audit.duplicates.count + audit.leaked.count + audit.self_loops.count, 0U);
  EXPECT_EQ(audit.isolated.count + audit.unseen_entities.count, 0U);
  EXPECT_EQ(audit.without_text.count + audit.shared_names.count, 0U);
}

TEST(Synthetic, IsDecidedByTheSeed) {
  SyntheticOptions other;
  other.seed = 2;
  EXPECT_EQ(synthetic_graph({}).content_hash(), synthetic_graph({}).content_hash());
  EXPECT_NE(synthetic_graph({}).content_hash(), synthetic_graph(other).content_hash());
}

TEST(Synthetic, IsSmallerWhereThereIsNoRoom) {
  SyntheticOptions options;
  options.entities = options.groups = 2;
  options.relations = 1;
  options.triples = 100;
  EXPECT_EQ(synthetic_graph(options).audit().triples[0], 2U);
}

TEST(Synthetic, CrowdsTriplesAtFewEntities) {
  std::vector<int> degrees(1000);
  for_each_synthetic({}, [&](const Triple& t) { ++degrees[t.tail]; });
  std::sort(degrees.rbegin(), degrees.rend());
  int top = 0;
  for (int i = 0; i < 100; ++i) top += degrees[i];
  EXPECT_GT(top, 1250);  // of 5000: a tenth of the entities have more than a quarter
}

TEST(Synthetic, LeadsARelationFromAGroupToOneGroupWithoutNoise) {
  SyntheticOptions options;
  options.noise = 0;
  std::set<std::array<std::int32_t, 3>> leads;
  const auto groups = static_cast<EntityId>(options.groups);
  for_each_synthetic(options, [&](const Triple& t) { leads.insert({t.head % groups, t.relation, t.tail % groups}); });
  // One target a group and relation, but for the few tails moved on because they were the head.
  EXPECT_LE(leads.size(), options.groups * options.relations * 5 / 4);
}

TEST(Synthetic, WritesAFileThatIsReadBack) {
  const testing::TempDir folder;
  write_synthetic_triples(folder / "t.tsv", {});
  const Graph graph = read_triples({folder / "t.tsv"});
  EXPECT_EQ(graph.entities(), 1000);
  EXPECT_EQ(graph.relations(), 10);
}

TEST(Synthetic, RefusesSizesThatMakeNoGraph) {
  SyntheticOptions options;
  options.entities = 1;
  EXPECT_ERROR(synthetic_graph(options), "synthetic.entities is 1");
  options = {};
  options.groups = 0;
  EXPECT_ERROR(synthetic_graph(options), "synthetic.groups is 0");
}

}  // namespace
}  // namespace hasa
