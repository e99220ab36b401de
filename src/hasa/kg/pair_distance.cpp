#include "hasa/kg/pair_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

/// The representative of an entity's component; paths are halved on the way.
EntityId root_of(std::vector<EntityId>& parent, EntityId entity) {
  while (parent[entity] != entity) entity = parent[entity] = parent[parent[entity]];
  return entity;
}

}  // namespace

PairDistances::PairDistances(const Graph& graph)
    : neighbours_(Adjacency(graph)),
      second_edges_(static_cast<std::size_t>(graph.entities()), 0),
      component_(second_edges_.size()) {
  std::iota(component_.begin(), component_.end(), 0);
  for (EntityId e = 0; e < graph.entities(); ++e) {
    for (const EntityId n : neighbours_.of(e)) {
      second_edges_[e] += neighbours_.degree(n);
      component_[root_of(component_, e)] = root_of(component_, n);
    }
  }
  for (EntityId e = 0; e < graph.entities(); ++e) component_[e] = root_of(component_, e);
}

PairDistance PairDistances::between(EntityId a, EntityId b, std::vector<char>& marked) const {
  if (a == b) return PairDistance::same;
  if (component_[a] != component_[b]) return PairDistance::unreachable;
  if (second_edges_[a] > second_edges_[b]) std::swap(a, b);
  for (const EntityId n : neighbours_.of(b)) marked[n] = 1;
  const auto is_marked = [&](EntityId n) { return marked[n] != 0; };
  const auto near_a = neighbours_.of(a);
  PairDistance distance = PairDistance::four_or_more;
  if (is_marked(a)) {
    distance = PairDistance::one;
  } else if (std::any_of(near_a.begin(), near_a.end(), is_marked)) {
    distance = PairDistance::two;
  } else if (std::any_of(near_a.begin(), near_a.end(), [&](EntityId n) {
               const auto next = neighbours_.of(n);
               return std::any_of(next.begin(), next.end(), is_marked);
             })) {
    distance = PairDistance::three;
  }
  for (const EntityId n : neighbours_.of(b)) marked[n] = 0;
  return distance;
}

std::vector<PairDistance> PairDistances::of(std::span<const Triple> triples) const {
  std::vector<PairDistance> distances(triples.size());
  parallel_for(triples.size(), 512, [&](std::size_t begin, std::size_t end) {
    std::vector<char> marked(component_.size(), 0);
    for (std::size_t i = begin; i < end; ++i) distances[i] = between(triples[i].head, triples[i].tail, marked);
  });
  return distances;
}

const char* to_string(PairDistance distance) {
  switch (distance) {
    case PairDistance::same: return "0";
    case PairDistance::one: return "1";
    case PairDistance::two: return "2";
    case PairDistance::three: return "3";
    case PairDistance::four_or_more: return "4 or more";
    case PairDistance::unreachable: return "unreachable";
  }
  return "?";
}

}  // namespace hasa
