#include "hasa/serve/connecting_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

class ConnectingPaths : public ::testing::Test {
 protected:
  void SetUp() override { use("a r b\nb s c\nc r d\na s c\na t c\nd t e\ne t f\n"); }

  void use(std::string triples) {
    std::replace(triples.begin(), triples.end(), ' ', '\t');
    graph = std::make_unique<Graph>(parse_triples({"t.tsv", triples}, std::nullopt, {}, std::nullopt));
    known = std::make_unique<KnownLinks>(*graph);
    state = std::make_unique<LiveState>(*graph, *known);
  }
  EntityId entity(const char* id) const { return *graph->find_entity(id); }
  RelationId relation(const char* id) const { return *graph->find_relation(id); }

  /// "a -r> b", links walked backwards as "b <r- a".
  std::string words(const PathReason& path) const {
    std::string text(graph->entity_id(path.edges[0].from));
    for (const WalkedEdge& edge : path.edges) {
      const bool is_back = edge.relation >= graph->relations();
      const std::string id(graph->relation_id(is_back ? edge.relation - graph->relations() : edge.relation));
      text += (is_back ? " <" + id + "- " : " -" + id + "> ") + std::string(graph->entity_id(edge.to));
    }
    return text;
  }
  std::vector<std::string> paths(const char* from, const char* asked, const char* to, std::size_t count = 10) const {
    std::vector<std::string> all;
    for (const PathReason& path : connecting_paths(*state, {entity(from), relation(asked), entity(to)}, count))
      all.push_back(words(path));
    return all;
  }

  std::unique_ptr<Graph> graph;
  std::unique_ptr<KnownLinks> known;
  std::unique_ptr<LiveState> state;
};

TEST_F(ConnectingPaths, LeaveOutTheLinkThatIsAskedAboutAndGiveTheShortestFirst) {
  EXPECT_EQ(paths("a", "s", "c"), (std::vector<std::string>{"a -t> c", "a -r> b -s> c"}));
}

TEST_F(ConnectingPaths, WalkLinksAgainstTheirDirection) {
  EXPECT_EQ(paths("d", "s", "b", 1), (std::vector<std::string>{"d <r- c <s- b"}));
}

TEST_F(ConnectingPaths, ReachFourLinksAndNoFurther) {
  use("a r b\nb r c\nc r d\nd r e\ne r f\n");
  EXPECT_EQ(paths("a", "r", "e"), (std::vector<std::string>{"a -r> b -r> c -r> d -r> e"}));
  EXPECT_TRUE(paths("a", "r", "f").empty());
}

TEST_F(ConnectingPaths, LookForLongerOnesOnlyWhileTooFewAreFound) {
  EXPECT_EQ(paths("a", "r", "d", 2), (std::vector<std::string>{"a -s> c -r> d", "a -t> c -r> d"}));
  EXPECT_EQ(paths("a", "r", "d", 3).back(), "a -r> b -s> c -r> d");
}

TEST_F(ConnectingPaths, PreferEntitiesWithFewLinks) {
  use("a r hub\nhub r z\na r quiet\nquiet r z\nhub r 1\nhub r 2\nhub r 3\n");
  const auto found = connecting_paths(*state, {entity("a"), relation("r"), entity("z")}, 2);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(words(found[0]), "a -r> quiet -r> z");
  EXPECT_DOUBLE_EQ(found[0].weight, 0.5 / (1 + std::log(2.0)));
  EXPECT_DOUBLE_EQ(found[1].weight, 0.5 / (1 + std::log(5.0)));
}

TEST_F(ConnectingPaths, StayQuickBetweenTwoHubs) {
  std::string triples;
  for (int i = 0; i < 3000; ++i) triples += "x r m" + std::to_string(i) + "\nm" + std::to_string(i) + " r n\nn r y\n";
  use(triples);
  EXPECT_EQ(paths("x", "r", "y", 3).size(), 3);
}

}  // namespace
}  // namespace hasa
