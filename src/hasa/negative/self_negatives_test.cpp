#include "hasa/negative/self_negatives.h"

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

std::vector<bool> two_way_of(const std::string& train) {
  testing::SmallBenchmark small;
  small.train = train;
  const Graph graph = small.read();  // hypernym 0, part_of 1
  return two_way_relations(graph, KnownAnswers::of_training(graph));
}

TEST(TwoWayRelations, AreThoseMostOfWhoseTriplesAreThereTurnedRound) {
  const std::string pair = "dog\tpart_of\tfox\nfox\tpart_of\tdog\n", up = "dog\thypernym\tcanine\n";
  EXPECT_THAT(two_way_of(up + pair), ElementsAre(false, true));
  EXPECT_THAT(two_way_of(up + pair + "paw\tpart_of\tdog\n"), ElementsAre(false, true));
  // Half is not most.
  EXPECT_THAT(two_way_of(up + pair + "paw\tpart_of\tdog\npaw\tpart_of\tfox\n"), ElementsAre(false, false));
}

TEST(TwoWayRelations, LeaveOutTriplesOfAnEntityWithItself) {
  EXPECT_THAT(two_way_of("dog\thypernym\tdog\nfox\thypernym\tfox\npaw\tpart_of\tdog\n"), ElementsAre(false, false));
}

TEST(SelfNegatives, AreHeadsThatAreNoAnswersOfRelationsThatGoOneWay) {
  testing::SmallBenchmark small;
  small.train =
      "dog\thypernym\tcanine\nfox\thypernym\tfox\nfox\thypernym\tcanine\n"
      "dog\tpart_of\tfox\nfox\tpart_of\tdog\n";
  const Graph graph = small.read();  // animal 0, canine 1, dog 2, fox 3, paw 4
  const KnownAnswers known = KnownAnswers::of_training(graph);
  const SelfNegatives negatives(graph, known);
  const Triple queries[] = {{2, 0, 1}, {1, 2, 2}, {3, 0, 3}, {3, 0, 1}, {2, 1, 3}, {3, 3, 2}};
  EXPECT_THAT(negatives.of(queries), ElementsAre(2, 1, -1, -1, -1, -1));
}

}  // namespace
}  // namespace hasa
