#include "hasa/kg/pair_paths.h"

#include <deque>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

Neighbours neighbours_of(std::vector<Triple> triples, EntityId entities) {
  return Neighbours(Adjacency(triples, entities, /*relations=*/1));
}

/// A plain breadth-first search.
std::vector<std::int32_t> lengths_from(const Neighbours& graph, EntityId source) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(graph.entities()), kNoPath);
  std::deque<EntityId> queue{source};
  lengths[static_cast<std::size_t>(source)] = 0;
  while (!queue.empty()) {
    const EntityId at = queue.front();
    queue.pop_front();
    for (const EntityId next : graph.of(at)) {
      if (lengths[static_cast<std::size_t>(next)] != kNoPath) continue;
      lengths[static_cast<std::size_t>(next)] = lengths[static_cast<std::size_t>(at)] + 1;
      queue.push_back(next);
    }
  }
  return lengths;
}

TEST(PairPaths, OnAChainIsTheDifferenceOfPlaces) {
  const Neighbours chain = neighbours_of({{0, 0, 1}, {2, 0, 1}, {2, 0, 3}, {3, 0, 4}}, 6);
  const std::vector<EntityPair> pairs{{0, 4}, {4, 0}, {2, 2}, {1, 3}, {0, 5}, {5, 5}};
  EXPECT_EQ(path_lengths(chain, pairs), (std::vector<std::int32_t>{4, 4, 0, 2, kNoPath, 0}));
}

TEST(PairPaths, WithoutPairsIsEmpty) { EXPECT_TRUE(path_lengths(neighbours_of({{0, 0, 1}}, 2), {}).empty()); }

TEST(PairPaths, EqualAPlainSearchFromEachOfManySources) {
  // Sparse, so that there are long paths and several components; more sources than searches go side by side.
  const Graph graph = synthetic_graph({.entities = 700, .triples = 750, .texts = false, .split = {}});
  const Neighbours neighbours{Adjacency(graph)};
  Rng rng(1);
  std::vector<EntityPair> pairs;
  for (EntityId source = 0; source < 300; ++source) {
    for (int i = 0; i < 5; ++i)
      pairs.emplace_back((source * 7) % graph.entities(),
                         static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(graph.entities()))));
  }
  rng.shuffle(pairs);
  const auto lengths = path_lengths(neighbours, pairs);
  std::int32_t longest = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_EQ(lengths[i], lengths_from(neighbours, pairs[i].first)[static_cast<std::size_t>(pairs[i].second)]) << i;
    longest = std::max(longest, lengths[i]);
  }
  EXPECT_GT(longest, 6);
  EXPECT_THAT(lengths, ::testing::Contains(kNoPath));
}

}  // namespace
}  // namespace hasa
