#include "hasa/kg/neighbours.h"

#include <set>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

Adjacency random_adjacency(EntityId entities, std::size_t triples, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Triple> list;
  list.reserve(triples);
  const auto entity = [&] {
    // The square favours small ids: hubs.
    const double u = rng.uniform();
    return static_cast<EntityId>(u * u * entities);
  };
  for (std::size_t i = 0; i < triples; ++i) list.push_back({entity(), static_cast<RelationId>(i % 3), entity()});
  return {list, entities, 3};
}

TEST(Neighbours, MergesDirectionsRelationsAndRepetitionsAndLeavesLoopsOut) {
  const std::vector<Triple> triples = {{2, 0, 0}, {0, 0, 2}, {0, 1, 2}, {0, 0, 2}, {0, 0, 0}, {1, 0, 0}};
  const Neighbours neighbours(Adjacency(triples, 4, 2));
  EXPECT_THAT(neighbours.of(0), ElementsAre(1, 2));
  EXPECT_THAT(neighbours.of(1), ElementsAre(0));
  EXPECT_THAT(neighbours.of(2), ElementsAre(0));
  EXPECT_TRUE(neighbours.of(3).empty());
  EXPECT_EQ(neighbours.num_ends(), 4U);
}

TEST(Neighbours, AnswerAsSetsOfPairsDo) {
  // With 40 entities every list has its bits, with 2,000 only those of the hubs.
  for (const auto& [entities, triples] : {std::pair{40, 100}, std::pair{2000, 3000}}) {
    const Adjacency adjacency = random_adjacency(entities, triples, 5);
    const Neighbours neighbours(adjacency);
    std::vector<std::set<EntityId>> near(entities);
    for (EntityId e = 0; e < entities; ++e) {
      for (const Edge& edge : adjacency.edges(e)) {
        if (edge.neighbour != e) near[e].insert(edge.neighbour);
      }
      EXPECT_THAT(neighbours.of(e), ::testing::ElementsAreArray(near[e]));
    }
    for (EntityId a = 0; a < entities; a += entities / 40) {
      for (EntityId b = 0; b < entities; ++b) {
        ASSERT_EQ(neighbours.contains(a, b), near[a].contains(b)) << a << " " << b;
        EntityId first = -1;
        for (const EntityId n : near[a]) {
          if (first < 0 && near[b].contains(n)) first = n;
        }
        ASSERT_EQ(neighbours.first_common(a, b), first) << a << " " << b;
      }
    }
  }
}

TEST(Neighbours, AreNoneInAGraphWithoutTriples) {
  const Neighbours neighbours(Adjacency({}, 2, 1));
  EXPECT_EQ(neighbours.num_ends(), 0U);
  EXPECT_FALSE(neighbours.contains(0, 1));
  EXPECT_EQ(neighbours.first_common(0, 1), -1);
  EXPECT_EQ(Neighbours(Adjacency({}, 0, 0)).entities(), 0);
}

TEST(Neighbours, TakeMemoryLinearInThePairs) {
  // The densest are those with bits for every entity: each list of a clique, and a hub's.
  std::vector<Triple> clique, star;
  for (EntityId a = 0; a < 300; ++a) {
    for (EntityId b = 0; b < a; ++b) clique.push_back({a, 0, b});
  }
  for (EntityId leaf = 1; leaf < 100'000; ++leaf) star.push_back({0, 0, leaf});
  for (const Adjacency& adjacency :
       {Adjacency(clique, 300, 1), Adjacency(star, 100'000, 1), random_adjacency(5000, 40'000, 7)}) {
    const Neighbours neighbours(adjacency);
    EXPECT_LE(neighbours.bytes(), 8 * (adjacency.entities() + 1) + 12 * neighbours.num_ends());
  }
}

}  // namespace
}  // namespace hasa
