#include "hasa/families/path/path_examples.h"

#include <algorithm>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/families/path/path_graphs_for_tests.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Triples 0 to 4: a r b; b s a; a r b again; a r c; c s d.
Graph small() { return testing::graph_of("a\tr\tb\nb\ts\ta\na\tr\tc\nc\ts\td\na\tt\tb\n", "", ""); }

struct Ids {
  explicit Ids(const Graph& graph) : graph(graph) {}
  EntityId operator()(const char* id) const { return *graph.find_entity(id); }
  RelationId relation(const char* id) const { return *graph.find_relation(id); }
  const Graph& graph;
};

TEST(PathExamples, AreTheDistinctQueriesOfBothDirections) {
  const Graph graph = small();
  // (a, r), (b, s), (c, s), (a, t) and, turned round, (b, r), (c, r), (a, s), (d, s), (b, t).
  EXPECT_EQ(PathExampleSource(graph, {}).size(), 9);
}

TEST(PathExamples, FindATripleFromEitherEndAndAllTriplesOfAPair) {
  const Graph graph = small();
  const Ids id(graph);
  const PathExampleSource source(graph, {});
  const Triple forward{id("a"), id.relation("r"), id("b")};
  EXPECT_THAT(source.copies(forward), ElementsAre(0));
  EXPECT_THAT(source.copies(inverse(forward, graph.relations())), ElementsAre(0));
  EXPECT_THAT(source.between(id("b"), id("a")), UnorderedElementsAre(0, 1, 4));
  EXPECT_THAT(source.between(id("b"), id("d")), IsEmpty());
}

TEST(PathExamples, HideWhatTheyAskAndNothingElse) {
  const Graph graph = testing::citizens();
  const auto triples = graph.triples(Split::train);
  const PathExampleSource source(graph, {});
  Rng rng(1);
  const std::vector<std::int64_t> numbers = {3, 50, 61};
  const PathExamples examples = source.draw(numbers, rng);
  std::set<std::int64_t> asked;
  for (std::size_t i = 0; i < examples.answers.size(); ++i) {
    const Query query = examples.queries[static_cast<std::size_t>(examples.query_of_answer[i])];
    const auto answer = static_cast<EntityId>(examples.answers[i]);
    EXPECT_TRUE(source.known().contains(query.given, query.relation, answer));
    for (std::size_t t = 0; t < triples.size(); ++t) {
      const Triple directed{query.given, query.relation, answer};
      if (triples[t] == directed || inverse(triples[t], graph.relations()) == directed)
        asked.insert(static_cast<std::int64_t>(t));
    }
  }
  EXPECT_EQ(asked, std::set<std::int64_t>(examples.hidden.begin(), examples.hidden.end()));
}

TEST(PathExamples, AskForOneAnswerAndAQuarterOfTheOthersAtMost) {
  std::string train;
  for (int i = 0; i < 41; ++i) train += fmt::format("hub\tr\tx{}\n", i);
  const Graph graph = testing::graph_of(train, "", "");
  PathTrainingConfig config;
  config.answers = 100;
  const PathExampleSource source(graph, config);
  std::multiset<std::size_t> sizes;
  for (std::int64_t number = 0; number < source.size(); ++number) {
    Rng rng(static_cast<std::uint64_t>(number));
    const PathExamples examples = source.draw(std::array{number}, rng);
    sizes.insert(examples.answers.size());
    EXPECT_EQ(std::set<std::int64_t>(examples.answers.begin(), examples.answers.end()).size(), examples.answers.size());
  }
  EXPECT_EQ(sizes.count(11), 1U) << "the hub has 41 answers: one, and ten of forty";
  EXPECT_EQ(sizes.count(1), 41U);
}

TEST(PathExamples, OfPairsHideEveryEdgeToAnswersAndNegatives) {
  const Graph graph = small();
  const Ids id(graph);
  PathTrainingConfig config;
  config.hide = PathHiding::pair;
  config.negatives = 20;
  const PathExampleSource source(graph, config);
  for (std::int64_t number = 0; number < source.size(); ++number) {
    Rng rng(7);
    const PathExamples examples = source.draw(std::array{number}, rng);
    const Query query = examples.queries[0];
    std::set<std::int64_t> expected;
    std::vector<std::int64_t> ends = examples.answers;
    ends.insert(ends.end(), examples.negatives.begin(), examples.negatives.end());
    for (const std::int64_t end : ends) {
      for (const std::int64_t t : source.between(query.given, static_cast<EntityId>(end))) expected.insert(t);
    }
    EXPECT_EQ(expected, std::set<std::int64_t>(examples.hidden.begin(), examples.hidden.end()));
    for (const std::int64_t negative : examples.negatives)
      EXPECT_FALSE(source.known().contains(query.given, query.relation, static_cast<EntityId>(negative)));
  }
}

}  // namespace
}  // namespace hasa
