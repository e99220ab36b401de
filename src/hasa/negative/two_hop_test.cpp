#include "hasa/negative/two_hop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

/// What this process has worked so far, which is the same beside other programs, unlike the time that passes.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

using Proposal = TwoHopSampler::Proposal;
constexpr std::array<Proposal, 3> kProposals = {Proposal::cheaper, Proposal::paths, Proposal::entities};

using Pairs = std::vector<std::pair<EntityId, EntityId>>;

Adjacency adjacency_of(const Pairs& pairs, EntityId entities) {
  std::vector<Triple> triples;
  for (const auto& [a, b] : pairs) triples.push_back({a, 0, b});
  return {triples, entities, 1};
}

/// Entities at distance 1 or 2, by walking.
std::set<EntityId> two_hop_set(const Adjacency& adjacency, EntityId head) {
  std::set<EntityId> found;
  for (const Edge& first : adjacency.edges(head)) {
    found.insert(first.neighbour);
    for (const Edge& second : adjacency.edges(first.neighbour)) found.insert(second.neighbour);
  }
  found.erase(head);
  return found;
}

std::vector<EntityId> draw(const TwoHopSampler& sampler, EntityId head, std::size_t count, std::uint64_t seed,
                           Proposal proposal) {
  std::vector<EntityId> samples(count);
  sampler.sample(std::span(&head, 1), count, seed, samples, proposal);
  return samples;
}

/// How many standard deviations chi-square lies from its mean, by Wilson and Hilferty's cube root.
double deviations(double chi_square, double degrees) {
  const double width = 2 / (9 * degrees);
  return (std::cbrt(chi_square / degrees) - (1 - width)) / std::sqrt(width);
}

double chi_square(const std::map<EntityId, int>& counts, double expected) {
  double sum = 0;
  for (const auto& [entity, count] : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// Every head's samples are in N2 and evenly spread, each head alone and all of them taken together.
void expect_uniform(const Adjacency& adjacency, Proposal proposal, std::uint64_t seed) {
  const TwoHopSampler sampler(adjacency);
  double all = 0, all_degrees = 0;
  for (EntityId head = 0; head < adjacency.entities(); ++head) {
    const std::set<EntityId> wanted = two_hop_set(adjacency, head);
    std::map<EntityId, int> counts;
    for (const EntityId entity : wanted) counts[entity] = 0;
    const int each = 100;
    const std::size_t count = each * std::max<std::size_t>(1, wanted.size());
    // A seed for each head: under one, heads alike draw alike, and their sum is no chi-square.
    for (const EntityId sample : draw(sampler, head, count, 1000 * seed + head, proposal)) {
      if (wanted.empty()) {
        ASSERT_EQ(sample, -1);
      } else {
        ASSERT_TRUE(wanted.contains(sample)) << sample << " for " << head;
        ++counts[sample];
      }
    }
    if (wanted.size() < 2) continue;
    const double degrees = static_cast<double>(wanted.size()) - 1, found = chi_square(counts, each);
    // Of a few thousand heads none should lie five deviations out.
    ASSERT_LT(deviations(found, degrees), 5) << "head " << head;
    all += found;
    all_degrees += degrees;
  }
  if (all_degrees == 0) return;
  EXPECT_LT(std::abs(deviations(all, all_degrees)), 3.5);
}

void expect_uniform(const Adjacency& adjacency) {
  std::uint64_t seed = 0;
  for (const Proposal proposal : kProposals) expect_uniform(adjacency, proposal, ++seed);
}

TEST(TwoHop, IsUniformOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Rng rng(seed, "graph");
    const auto entities = static_cast<EntityId>(10 + rng.below(90));
    Pairs pairs;
    const auto any = [&] { return static_cast<EntityId>(rng.below(entities)); };
    for (std::uint64_t i = rng.below(4 * entities); i > 0; --i) pairs.emplace_back(any(), any());
    expect_uniform(adjacency_of(pairs, entities));
  }
}

TEST(TwoHop, IsUniformOnGraphsWithHubs) {
  for (const double skew : {2.0, 4.0}) {
    SyntheticOptions options{.entities = 150, .relations = 3, .triples = 500, .groups = 4, .skew = skew};
    expect_uniform(Adjacency(synthetic_graph(options)));
  }
}

TEST(TwoHop, IsUniformWithRepeatedPairsInBothDirectionsAndLoops) {
  expect_uniform(adjacency_of({{0, 1}, {0, 1}, {1, 0}, {1, 2}, {2, 2}, {2, 3}, {3, 2}, {0, 0}, {4, 4}, {3, 5}}, 6));
}

TEST(TwoHop, IsUniformOnAStarACliqueAPathAndACompleteBipartiteGraph) {
  Pairs star, clique, path, bipartite;
  for (EntityId i = 1; i < 30; ++i) {
    star.emplace_back(0, i);
    path.emplace_back(i - 1, i);
    for (EntityId j = 0; j < i; ++j) clique.emplace_back(i, j);
    if (i < 20) {
      for (EntityId j = 20; j < 30; ++j) bipartite.emplace_back(i, j);
    }
  }
  for (const Pairs& pairs : {star, clique, path, bipartite}) expect_uniform(adjacency_of(pairs, 30));
}

TEST(TwoHop, IsUniformForHubsAndOthersOfFb15k237) {
  HASA_NEEDS_FOLDER(data, "HASA_DATA");
  const Adjacency adjacency(read_benchmark(data / "FB15k-237"));
  const TwoHopSampler sampler(adjacency);
  EntityId hub = 0;
  for (EntityId e = 0; e < adjacency.entities(); ++e) hub = adjacency.degree(e) > adjacency.degree(hub) ? e : hub;
  for (const EntityId head : {hub, 1, 100, 1000, 10'000}) {
    const std::set<EntityId> wanted = two_hop_set(adjacency, head);
    std::map<EntityId, int> counts;
    for (const EntityId entity : wanted) counts[entity] = 0;
    for (const EntityId sample : draw(sampler, head, 20 * wanted.size(), 3, Proposal::cheaper)) ++counts.at(sample);
    const double degrees = static_cast<double>(wanted.size()) - 1;
    EXPECT_LT(std::abs(deviations(chi_square(counts, 20), degrees)), 3.5) << "head " << head;
  }
}

TEST(TwoHop, IsDistinguishedFromAPlainTwoStepWalkByThisTest) {
  // 0 - {1, 2, 3} - 4 and 1 - 5: a walk meets 4 three times as often as 5.
  const Adjacency adjacency = adjacency_of({{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {1, 5}}, 6);
  std::map<EntityId, int> counts;
  Rng rng(1);
  int drawn = 0;
  while (drawn < 500) {
    const EntityId over = adjacency.edges(0)[rng.below(3)].neighbour;
    const EntityId end = adjacency.edges(over)[rng.below(adjacency.degree(over))].neighbour;
    ++counts[end == 0 ? over : end];
    ++drawn;
  }
  EXPECT_GT(deviations(chi_square(counts, 100), 4), 5);
  expect_uniform(adjacency);
}

TEST(TwoHop, DrawsOneSampleIndependentlyOfTheNext) {
  const Adjacency adjacency = adjacency_of({{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {1, 5}}, 6);
  const TwoHopSampler sampler(adjacency);
  for (const Proposal proposal : kProposals) {
    std::map<EntityId, int> pairs;
    for (EntityId a = 1; a <= 5; ++a) {
      for (EntityId b = 1; b <= 5; ++b) pairs[10 * a + b] = 0;
    }
    const std::vector<EntityId> heads(2500, 0);
    std::vector<EntityId> samples(2 * heads.size());
    sampler.sample(heads, 2, 9, samples, proposal);
    for (std::size_t i = 0; i < samples.size(); i += 2) ++pairs.at(10 * samples[i] + samples[i + 1]);
    EXPECT_LT(std::abs(deviations(chi_square(pairs, 100), 24)), 3.5);
  }
}

TEST(TwoHop, GivesMinusOneForAHeadWithoutNeighbours) {
  const TwoHopSampler sampler(adjacency_of({{0, 1}, {2, 2}}, 4));
  for (const Proposal proposal : kProposals) {
    EXPECT_THAT(draw(sampler, 2, 2, 1, proposal), ::testing::Each(-1));
    EXPECT_THAT(draw(sampler, 3, 2, 1, proposal), ::testing::Each(-1));
    EXPECT_THAT(draw(sampler, 0, 2, 1, proposal), ::testing::Each(1));
  }
}

TEST(TwoHop, DependsOnSeedPlaceAndHeadAndNotOnThreads) {
  const TwoHopSampler sampler{Adjacency(synthetic_graph({}))};
  std::vector<EntityId> heads(500);
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = static_cast<EntityId>(i);
  const auto with_threads = [&](std::size_t threads, std::uint64_t seed) {
    set_thread_count(threads);
    std::vector<EntityId> samples(3 * heads.size());
    sampler.sample(heads, 3, seed, samples);
    set_thread_count(0);
    return samples;
  };
  const std::vector<EntityId> samples = with_threads(1, 4);
  EXPECT_EQ(with_threads(2, 4), samples);
  EXPECT_EQ(with_threads(7, 4), samples);
  EXPECT_NE(with_threads(1, 5), samples);
  // Another head elsewhere changes nothing here.
  heads[0] = 7;
  std::vector<EntityId> others = with_threads(2, 4);
  EXPECT_TRUE(std::equal(others.begin() + 3, others.end(), samples.begin() + 3));
}

TEST(TwoHop, StaysFastAtTheHubAndTheLeavesOfAStarOfAMillion) {
  const EntityId entities = 1'000'001;
  Pairs pairs;
  for (EntityId leaf = 1; leaf < entities; ++leaf) pairs.emplace_back(0, leaf);
  const TwoHopSampler sampler(adjacency_of(pairs, entities));
  for (const Proposal proposal : kProposals) {
    const double start = cpu_seconds();
    draw(sampler, 0, 10'000, 1, proposal);
    draw(sampler, 77, 10'000, 1, proposal);
    // A few milliseconds; a walk over the leaves for each sample would be hours.
    EXPECT_LT(cpu_seconds() - start, 4);
  }
}

TEST(TwoHop, StaysFastInACliqueAmongManyLooseEntities) {
  // 500 x 500 paths lead to 499 entities among a million: 500 proposals a sample, and none of them slow.
  Pairs pairs;
  for (EntityId a = 0; a < 500; ++a) {
    for (EntityId b = 0; b < a; ++b) pairs.emplace_back(a, b);
  }
  const TwoHopSampler sampler(adjacency_of(pairs, 1'000'000));
  const double start = cpu_seconds();
  draw(sampler, 3, 1000, 1, Proposal::cheaper);
  EXPECT_LT(cpu_seconds() - start, 4);
}

TEST(TwoHop, TakesMemoryLinearInThePairs) {
  Pairs clique;
  for (EntityId a = 0; a < 400; ++a) {
    for (EntityId b = 0; b < a; ++b) clique.emplace_back(a, b);
  }
  const TwoHopSampler sampler(adjacency_of(clique, 400));
  EXPECT_LE(sampler.bytes(), 8 * 401 + 16 * 2 * clique.size());
  // Every pair of leaves is within two steps: 5 * 10^9 of them, in 3 MB.
  Pairs star;
  for (EntityId leaf = 1; leaf < 100'000; ++leaf) star.emplace_back(0, leaf);
  EXPECT_LE(TwoHopSampler(adjacency_of(star, 100'000)).bytes(), 8 * 100'001 + 16 * 2 * star.size());
}

TEST(TwoHop, RefusesHeadsThatAreNoEntitiesAndPlacesThatDoNotFit) {
  const TwoHopSampler sampler(adjacency_of({{0, 1}}, 2));
  EXPECT_ERROR(draw(sampler, 2, 1, 1, Proposal::cheaper), "head 2 is not among 2 entities");
  std::vector<EntityId> heads = {0}, samples(2);
  EXPECT_ERROR(sampler.sample(heads, 3, 1, samples), "3 samples of 1 heads do not fill 2 places");
}

}  // namespace
}  // namespace hasa
