#include "hasa/audit/graph_shape.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "hasa/base/rng.h"

namespace hasa {
namespace {

constexpr std::uint64_t kSampleSeed = 1;

/// Entities that training links, however far apart.
class Components {
 public:
  explicit Components(const Graph& graph) : parent_(static_cast<std::size_t>(graph.entities())) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const Triple& t : graph.triples(Split::train)) parent_[static_cast<std::size_t>(root(t.head))] = root(t.tail);
  }

  EntityId root(EntityId entity) {
    auto at = static_cast<std::size_t>(entity);
    while (static_cast<std::size_t>(parent_[at]) != at) {
      parent_[at] = parent_[static_cast<std::size_t>(parent_[at])];
      at = static_cast<std::size_t>(parent_[at]);
    }
    return static_cast<EntityId>(at);
  }

 private:
  std::vector<EntityId> parent_;
};

void count_degrees(const std::vector<std::uint64_t>& degrees, GraphShape& shape) {
  for (const std::uint64_t degree : degrees) {
    const std::size_t bucket = static_cast<std::size_t>(std::bit_width(degree));
    if (bucket >= shape.degrees.size()) shape.degrees.resize(bucket + 1);
    ++shape.degrees[bucket];
  }
}

}  // namespace

GraphShape shape_of(const Graph& graph, std::size_t most) {
  GraphShape shape;
  std::vector<std::uint64_t> degrees(static_cast<std::size_t>(graph.entities()), 0);
  for (const Triple& t : graph.triples(Split::train)) {
    ++degrees[static_cast<std::size_t>(t.head)];
    ++degrees[static_cast<std::size_t>(t.tail)];
  }
  count_degrees(degrees, shape);
  Components components(graph);
  std::vector<std::uint64_t> sizes(degrees.size(), 0);
  for (EntityId e = 0; e < graph.entities(); ++e) ++sizes[static_cast<std::size_t>(components.root(e))];
  shape.components =
      static_cast<std::uint64_t>(std::count_if(sizes.begin(), sizes.end(), [](auto s) { return s > 1; }));
  shape.largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  for (const Triple& t : graph.triples(Split::test)) {
    const bool seen = degrees[static_cast<std::size_t>(t.head)] > 0 && degrees[static_cast<std::size_t>(t.tail)] > 0;
    shape.test_across_components += seen && components.root(t.head) != components.root(t.tail) ? 1 : 0;
  }
  const PairDistances distances(graph);
  for (const Split split : {Split::valid, Split::test}) {
    std::vector<Triple> sample(graph.triples(split).begin(), graph.triples(split).end());
    if (sample.size() > most) {
      Rng rng(kSampleSeed, "audit distances", static_cast<std::uint64_t>(split));
      rng.shuffle(sample);
      sample.resize(most);
    }
    for (const PairDistance distance : distances.of(sample))
      ++shape.distances[static_cast<std::size_t>(split)][static_cast<std::size_t>(distance)];
  }
  return shape;
}

}  // namespace hasa
