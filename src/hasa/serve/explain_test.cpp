#include "hasa/serve/explain.h"

#include <algorithm>
#include <string>

#include "hasa/base/testing.h"
#include "hasa/families/table/table_family.h"
#include "hasa/families/table/table_model.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using hasa::testing::SmallBenchmark;
using hasa::testing::TempDir;

/// Whatever is part of X's kind is part of X, for ten kinds with one member each; of m0 only validation says so. The
/// model has drawn its vectors and learned nothing.
class Explain : public ::testing::Test {
 protected:
  Explain() {
    SmallBenchmark benchmark;
    benchmark.with_texts = false;
    benchmark.train.clear();
    for (int i = 0; i < 10; ++i) {
      const std::string n = std::to_string(i);
      benchmark.train += "m" + n + "\tis\tk" + n + "\nk" + n + "\thas\tp" + n + "\n";
      if (i > 0) benchmark.train += "m" + n + "\thas\tp" + n + "\n";
    }
    benchmark.valid = "m0\thas\tp0\n";
    benchmark.test = "k0\tis\tp0\n";
    const Graph graph = benchmark.read();
    graph.save(dir / "graph");
    const hasa::Run run = hasa::Run::create(dir / "run", "model: {type: distmult, dim: 8}\n", graph);
    torch::manual_seed(5);
    TableModelConfig config = DistMultFamily().model;
    config.dim = 8;
    const TableModel model(config, graph.entities(), graph.relations(), torch::kCPU);
    save_tensors(run / Run::kBest, model.parameters(), {});
    served = ServedRun::open(dir / "run", {.graph = dir / "graph", .device = "cpu"});
  }
  EntityId entity(const char* id) const { return *served->graph().find_entity(id); }
  RelationId relation(const char* id) const { return *served->graph().find_relation(id); }
  Reasons reasons(const char* given, RelationId relation, const char* answer) const {
    return Explainer(*served).reasons(*served->state(), {entity(given), relation}, entity(answer));
  }

  TempDir dir;
  std::unique_ptr<ServedRun> served;
};

TEST_F(Explain, NamesTheRuleThatGivesTheAnswerAndThroughWhom) {
  const Reasons found = reasons("m0", relation("has"), "p0");
  ASSERT_FALSE(found.rules.empty());
  EXPECT_EQ(found.rules[0].text, "has(X, Y)  <=  is(X, Z), has(Z, Y)");
  EXPECT_EQ(found.rules[0].middles, std::vector<EntityId>{entity("k0")});
  EXPECT_EQ(found.rules[0].support, 9U);
  EXPECT_EQ(found.rules[0].body, 10U);
  EXPECT_EQ(found.judgement.known, Known::valid);
}

TEST_F(Explain, WalksFromWhatIsGivenToTheAnswer) {
  const Reasons found = reasons("m0", relation("has"), "p0");
  ASSERT_FALSE(found.paths.empty());
  EXPECT_EQ(found.paths[0].edges, (std::vector<WalkedEdge>{{entity("m0"), relation("is"), entity("k0")},
                                                           {entity("k0"), relation("has"), entity("p0")}}));
}

TEST_F(Explain, FindsTheSameFactsFromEitherSide) {
  const RelationId has = relation("has");
  const Reasons tail = reasons("m0", has, "p0"), head = reasons("p0", inverse(has, served->graph().relations()), "m0");
  ASSERT_EQ(tail.facts.size(), 5U);
  ASSERT_EQ(head.facts.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(tail.facts[i].triple, head.facts[i].triple);
    EXPECT_EQ(tail.facts[i].triple.relation, has);
    EXPECT_LE(tail.facts[i].similarity, 1);
  }
  EXPECT_TRUE(std::is_sorted(tail.facts.begin(), tail.facts.end(),
                             [](const FactReason& a, const FactReason& b) { return a.similarity > b.similarity; }));
}

TEST_F(Explain, LeavesOutWordsWhereNoTextIsRead) { EXPECT_TRUE(reasons("m0", relation("has"), "p0").words.empty()); }

TEST_F(Explain, GivesNoRuleToAnAnswerThatNoneGives) { EXPECT_TRUE(reasons("m0", relation("is"), "p7").rules.empty()); }

}  // namespace
}  // namespace hasa
