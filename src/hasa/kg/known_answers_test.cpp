#include "hasa/kg/known_answers.h"

#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(KnownAnswers, AnswersBothDirectionsSortedAndOnce) {
  testing::SmallBenchmark small;
  small.train += "dog\thypernym\tcanine\n";  // repeated
  const Graph graph = small.read();          // animal 0, canine 1, dog 2, fox 3, paw 4
  const KnownAnswers known = KnownAnswers::of_training(graph);
  EXPECT_THAT(known.tails(2, 0), ElementsAre(1));
  EXPECT_THAT(known.tails(1, 2), ElementsAre(2, 3));
  EXPECT_THAT(known.tails(3, 3), IsEmpty());
  EXPECT_THAT(known.relations_of(2), ElementsAre(0, 3));
  EXPECT_TRUE(known.contains(1, 2, 3));
  EXPECT_FALSE(known.contains(1, 2, 4));
}

TEST(KnownAnswers, KeepsToTheSplitsAskedFor) {
  const Graph graph = testing::SmallBenchmark().read();
  EXPECT_THAT(KnownAnswers::of_training(graph).tails(3, 0), ElementsAre(1));
  EXPECT_THAT(KnownAnswers::of_all_splits(graph).tails(3, 0), ElementsAre(0, 1));
  const Split valid[] = {Split::valid};
  EXPECT_THAT(KnownAnswers(graph, valid).tails(4, 1), ElementsAre(3));
}

TEST(KnownAnswers, AgreesWithAMapOfSets) {
  SyntheticOptions options;
  options.entities = 200;
  options.triples = 4000;
  const Graph graph = synthetic_graph(options);
  std::map<std::pair<EntityId, RelationId>, std::set<EntityId>> expected;
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split)) {
      expected[{t.head, t.relation}].insert(t.tail);
      expected[{t.tail, t.relation + graph.relations()}].insert(t.head);
    }
  }
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  EXPECT_EQ(known.num_queries(), expected.size());
  for (EntityId head = 0; head < graph.entities(); ++head) {
    for (RelationId relation = 0; relation < graph.num_directed_relations(); ++relation) {
      const auto& tails = expected[{head, relation}];
      EXPECT_THAT(known.tails(head, relation), ::testing::ElementsAreArray(tails.begin(), tails.end()));
    }
  }
}

}  // namespace
}  // namespace hasa
