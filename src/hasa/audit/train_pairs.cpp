#include "hasa/audit/train_pairs.h"

#include <algorithm>

namespace hasa {
namespace {

std::uint64_t pair_key(EntityId tail, RelationId relation) {
  return (std::uint64_t{static_cast<std::uint32_t>(tail)} << 32) | static_cast<std::uint32_t>(relation);
}

}  // namespace

TrainPairs::TrainPairs(const Graph& graph)
    : groups_(group_by_head(graph.entities(),
                            [&](const auto& emit) {
                              for (const Triple& t : graph.triples(Split::train))
                                emit(t.head, pair_key(t.tail, t.relation));
                            })),
      ends_(static_cast<std::size_t>(graph.entities())) {
  for (std::size_t e = 0; e < ends_.size(); ++e) {
    const auto begin = groups_.keys.begin() + static_cast<std::ptrdiff_t>(groups_.offsets[e]);
    const auto end = groups_.keys.begin() + static_cast<std::ptrdiff_t>(groups_.offsets[e + 1]);
    ends_[e] = static_cast<std::uint64_t>(std::unique(begin, end) - groups_.keys.begin());
  }
}

std::span<const std::uint64_t> TrainPairs::of(EntityId head) const {
  const auto at = static_cast<std::size_t>(head);
  return {groups_.keys.data() + groups_.offsets[at], static_cast<std::size_t>(ends_[at] - groups_.offsets[at])};
}

std::span<const std::uint64_t> TrainPairs::between(EntityId head, EntityId tail) const {
  const auto keys = of(head);
  const auto first = std::lower_bound(keys.begin(), keys.end(), pair_key(tail, 0));
  const auto last = std::find_if(first, keys.end(), [&](std::uint64_t key) { return tail_of(key) != tail; });
  return keys.subspan(static_cast<std::size_t>(first - keys.begin()), static_cast<std::size_t>(last - first));
}

bool TrainPairs::contains(EntityId head, RelationId relation, EntityId tail) const {
  const auto keys = of(head);
  return std::binary_search(keys.begin(), keys.end(), pair_key(tail, relation));
}

}  // namespace hasa
