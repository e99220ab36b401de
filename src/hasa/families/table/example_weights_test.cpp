#include "hasa/families/table/example_weights.h"

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

TEST(ExampleWeights, FallWithTheAnswersOfAQueryOrOfBothEndsOfATriple) {
  testing::SmallBenchmark small;
  small.train = "dog\thypernym\tcanine\nfox\thypernym\tcanine\nfox\thypernym\tanimal\n";
  const Graph graph = small.read();  // animal 0, canine 1, dog 2, fox 3, paw 4; hypernym 0, part_of 1
  const KnownAnswers known = KnownAnswers::of_training(graph);
  // (dog, hypernym) has one answer, (fox, hypernym) and (canine, inverse of hypernym) have two.
  const Triple examples[] = {{2, 0, 1}, {3, 0, 1}, {1, 2, 2}};
  const auto weights = [&](ExampleWeighting weighting) {
    return example_weights(examples, known, graph.relations(), weighting);
  };
  EXPECT_THAT(weights(ExampleWeighting::by_query),
              ElementsAre(FloatEq(0.5F), FloatEq(1 / std::sqrt(5.0F)), FloatEq(1 / std::sqrt(5.0F))));
  EXPECT_THAT(weights(ExampleWeighting::by_triple),
              ElementsAre(FloatEq(1 / 3.0F), FloatEq(1 / std::sqrt(10.0F)), FloatEq(1 / 3.0F)));
}

}  // namespace
}  // namespace hasa
