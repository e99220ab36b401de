#include "hasa/serve/known_links.h"

#include <algorithm>
#include <utility>

namespace hasa {

const char* to_string(Known known) { return known == Known::live ? "live" : to_string(static_cast<Split>(known)); }

KnownLinks::KnownLinks(const Graph& graph)
    : by_split_{KnownAnswers(graph, {{Split::train}}), KnownAnswers(graph, {{Split::valid}}),
                KnownAnswers(graph, {{Split::test}})},
      has_loop_(static_cast<std::size_t>(graph.num_directed_relations())) {
  const auto directed = static_cast<std::size_t>(graph.num_directed_relations());
  // Twice over the entities: how many bear each relation, then which.
  const auto for_each_bearer = [&](const auto& take) {
    std::vector<EntityId> last(directed, -1);
    for (EntityId e = 0; e < graph.entities(); ++e) {
      for (const Split split : kSplits) {
        for (const RelationId r : relations_of(split, e)) {
          if (std::exchange(last[static_cast<std::size_t>(r)], e) != e) take(static_cast<std::size_t>(r), e);
        }
      }
    }
  };
  bearers_from_.assign(directed + 1, 0);
  for_each_bearer([&](std::size_t r, EntityId) { ++bearers_from_[r + 1]; });
  for (std::size_t r = 0; r < directed; ++r) bearers_from_[r + 1] += bearers_from_[r];
  bearers_.resize(bearers_from_.back());
  std::vector<std::uint64_t> next(bearers_from_.begin(), bearers_from_.end() - 1);
  for_each_bearer([&](std::size_t r, EntityId e) { bearers_[next[r]++] = e; });

  for (const Triple& t : graph.triples(Split::train)) {
    if (t.head != t.tail) continue;
    has_loop_[static_cast<std::size_t>(t.relation)] = true;
    has_loop_[static_cast<std::size_t>(inverse(t.relation, graph.relations()))] = true;
  }
}

std::optional<Split> KnownLinks::split_of(EntityId head, RelationId relation, EntityId tail) const {
  for (const Split split : kSplits) {
    if (by_split_[static_cast<std::size_t>(split)].contains(head, relation, tail)) return split;
  }
  return std::nullopt;
}

std::span<const EntityId> KnownLinks::bearers(RelationId relation) const {
  const auto r = static_cast<std::size_t>(relation);
  return {bearers_.data() + bearers_from_[r], static_cast<std::size_t>(bearers_from_[r + 1] - bearers_from_[r])};
}

bool KnownLinks::bears(EntityId entity, RelationId relation) const {
  const auto all = bearers(relation);
  return std::binary_search(all.begin(), all.end(), entity);
}

}  // namespace hasa
