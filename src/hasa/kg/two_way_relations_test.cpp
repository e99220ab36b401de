#include "hasa/kg/two_way_relations.h"

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

}  // namespace
}  // namespace hasa
