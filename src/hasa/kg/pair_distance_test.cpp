#include "hasa/kg/pair_distance.h"

#include <deque>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

/// The obvious search from one end.
std::vector<int> distances_from(const Graph& graph, EntityId start) {
  std::vector<int> distance(static_cast<std::size_t>(graph.entities()), -1);
  std::deque<EntityId> queue{start};
  distance[start] = 0;
  for (; !queue.empty(); queue.pop_front()) {
    for (const Triple& t : graph.triples(Split::train)) {
      if (t.head != queue.front() && t.tail != queue.front()) continue;
      const EntityId next = t.head == queue.front() ? t.tail : t.head;
      if (distance[next] >= 0) continue;
      distance[next] = distance[queue.front()] + 1;
      queue.push_back(next);
    }
  }
  return distance;
}

PairDistance expected(int distance) {
  return distance < 0 ? PairDistance::unreachable : static_cast<PairDistance>(std::min(distance, 4));
}

TEST(PairDistance, IsThatOfAPlainSearch) {
  std::string train;
  std::uint32_t random = 7;
  const auto next = [&] { return (random = random * 1664525U + 1013904223U) >> 16; };
  for (int i = 0; i < 130; ++i)
    train += "e" + std::to_string(next() % 120) + "\tr\te" + std::to_string(next() % 120) + "\n";
  const Graph graph = parse_benchmark(
      {"random", {"train.txt", train}, {"valid.txt", "e0\tr\talone\n"}, {"test.txt", "e1\tr\tx\n"}, {}, {}});
  const PairDistances distances(graph);
  int seen[6] = {};
  for (EntityId a = 0; a < graph.entities(); ++a) {
    std::vector<Triple> pairs;
    pairs.reserve(static_cast<std::size_t>(graph.entities()));
    for (EntityId b = 0; b < graph.entities(); ++b) pairs.push_back({a, 0, b});
    const auto found = distances.of(pairs);
    const auto plain = distances_from(graph, a);
    for (std::size_t b = 0; b < found.size(); ++b) {
      ASSERT_EQ(found[b], expected(plain[b])) << a << " to " << b;
      ++seen[static_cast<int>(found[b])];
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(PairDistance, NoTestPairOfFb15k237IsLinkedInTraining) {
  HASA_NEEDS_FOLDER(data, "HASA_DATA");
  const Graph graph = read_benchmark(data / "FB15k-237");
  const auto distances = PairDistances(graph).of(graph.triples(Split::test));
  EXPECT_EQ(std::count(distances.begin(), distances.end(), PairDistance::one), 0);
}

}  // namespace
}  // namespace hasa
