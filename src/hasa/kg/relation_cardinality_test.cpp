#include "hasa/kg/relation_cardinality.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

TEST(RelationCardinality, FollowsTheAveragesOfTraining) {
  const Graph graph = parse_benchmark({"small",
                                       {"train.txt",
                                        "a\tone\tb\nc\tone\td\na\tspread\tb\na\tspread\tc\nb\tgather\ta\nc\tgather\ta\n"
                                        "a\tmesh\tb\na\tmesh\tc\nd\tmesh\tb\nd\tmesh\tc\n"},
                                       {"valid.txt", "a\tlater\tb\na\tone\tc\na\tone\td\n"},
                                       {"test.txt", "a\tone\te\n"},
                                       {},
                                       {}});
  const std::vector<Cardinality> of = relation_cardinalities(graph);
  const auto named = [&](const char* id) { return std::string(to_string(of.at(graph.find_relation(id).value()))); };
  EXPECT_EQ(named("one"), "1-1");
  EXPECT_EQ(named("spread"), "1-N");
  EXPECT_EQ(named("gather"), "N-1");
  EXPECT_EQ(named("mesh"), "N-N");
  EXPECT_EQ(named("later"), "not in training");
}

TEST(RelationCardinality, OneAndAHalfIsMany) {
  const Graph graph = parse_benchmark({"small",
                                       {"train.txt", "a\tr\tb\na\tr\tc\nd\tr\te\n"},
                                       {"valid.txt", "a\tr\td\n"},
                                       {"test.txt", "a\tr\te\n"},
                                       {},
                                       {}});
  EXPECT_EQ(relation_cardinalities(graph).at(0), Cardinality::one_to_many);
}

}  // namespace
}  // namespace hasa
