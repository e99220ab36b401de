#include "hasa/negative/near_sampler.h"

#include <cmath>
#include <map>

#include "hasa/base/testing.h"
#include "hasa/kg/graph_proximity.h"

namespace hasa {
namespace {

/// 0 and 1 share the hub 3 and the quiet 4; 2 hangs on the hub alone; 5 and 6 make up the hub; 7 is by itself.
Adjacency small_adjacency() {
  const std::vector<Triple> triples{{0, 0, 3}, {3, 0, 1}, {0, 0, 4}, {1, 0, 4}, {2, 0, 3}, {3, 0, 5}, {6, 0, 3}, {5, 0, 6}};
  return {triples, 8, 1};
}

std::map<EntityId, double> drawn_shares(NearMeasure measure, EntityId head, std::size_t draws) {
  const NearSampler sampler(small_adjacency(), measure);
  std::vector<EntityId> samples(draws);
  sampler.sample(std::vector{head}, draws, 1, samples);
  std::map<EntityId, double> shares;
  for (const EntityId each : samples) shares[each] += 1.0 / static_cast<double>(draws);
  return shares;
}

/// The measure's own values, computed another way, head left out and as shares.
std::map<EntityId, double> expected_shares(Proximity proximity, EntityId head) {
  const Neighbours neighbours(small_adjacency());
  std::vector<EntityPair> pairs;
  for (EntityId e = 0; e < neighbours.entities(); ++e) {
    if (e != head) pairs.emplace_back(head, e);
  }
  const std::vector<double> values = proximities(neighbours, pairs, proximity, {.page_rank_steps = 200});
  double sum = 0;
  for (const double value : values) sum += value;
  std::map<EntityId, double> shares;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (values[i] > 0) shares[pairs[i].second] = values[i] / sum;
  }
  return shares;
}

void expect_shares(NearMeasure measure, Proximity proximity) {
  constexpr std::size_t kDraws = 40000;
  for (const EntityId head : {0, 3, 5}) {
    const auto drawn = drawn_shares(measure, head, kDraws), expected = expected_shares(proximity, head);
    ASSERT_EQ(drawn.size(), expected.size()) << "head " << head;
    for (const auto& [entity, share] : expected)
      EXPECT_NEAR(drawn.at(entity), share, 5 * std::sqrt(share / kDraws)) << head << " to " << entity;
  }
}

TEST(NearSampler, DrawsInProportionToCommonNeighbours) {
  expect_shares(NearMeasure::common_neighbours, Proximity::common_neighbours);
}
TEST(NearSampler, DrawsInProportionToAdamicAdar) { expect_shares(NearMeasure::adamic_adar, Proximity::adamic_adar); }
TEST(NearSampler, DrawsInProportionToPersonalisedPageRank) {
  expect_shares(NearMeasure::page_rank, Proximity::page_rank);
}

TEST(NearSampler, ByPathsIsTheTwoHopSampler) {
  const Adjacency adjacency = small_adjacency();
  std::vector<EntityId> a(24), b(24);
  const std::vector<EntityId> heads{0, 1, 3};
  NearSampler(adjacency, NearMeasure::paths).sample(heads, 8, 5, a);
  TwoHopSampler(adjacency).sample(heads, 8, 5, b);
  EXPECT_EQ(a, b);
}

TEST(NearSampler, GivesNobodyForAHeadWithoutAnyoneToDraw) {
  for (const NearMeasure measure : {NearMeasure::common_neighbours, NearMeasure::adamic_adar, NearMeasure::page_rank})
    EXPECT_EQ(drawn_shares(measure, 7, 3), (std::map<EntityId, double>{{-1, 1.0}}));
}

}  // namespace
}  // namespace hasa
