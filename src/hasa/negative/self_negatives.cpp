#include "hasa/negative/self_negatives.h"

#include <algorithm>

namespace hasa {

std::vector<bool> two_way_relations(const Graph& graph, const KnownAnswers& of_training) {
  std::vector<std::int64_t> surplus(static_cast<std::size_t>(graph.relations()));
  for (const Triple& triple : graph.triples(Split::train)) {
    if (triple.head == triple.tail) continue;
    surplus[static_cast<std::size_t>(triple.relation)] +=
        of_training.contains(triple.tail, triple.relation, triple.head) ? 1 : -1;
  }
  std::vector<bool> two_way(surplus.size());
  std::transform(surplus.begin(), surplus.end(), two_way.begin(), [](std::int64_t more) { return more > 0; });
  return two_way;
}

std::vector<std::int32_t> SelfNegatives::of(std::span<const Triple> queries) const {
  std::vector<std::int32_t> heads;
  heads.reserve(queries.size());
  for (const auto& [head, relation, tail] : queries) {
    const bool left_out =
        two_way_[static_cast<std::size_t>(relation) % two_way_.size()] || known_.contains(head, relation, head);
    heads.push_back(left_out ? -1 : head);
  }
  return heads;
}

}  // namespace hasa
