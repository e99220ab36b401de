#include "hasa/families/rules/edge_groups.h"

#include <algorithm>

namespace hasa {

EdgeGroups::EdgeGroups(std::span<const Triple> triples, EntityId entities, RelationId relations)
    : relations_(relations), groups_of_(static_cast<std::size_t>(entities) + 1, 0) {
  std::vector<Triple> edges = with_inverses(triples, relations);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const Triple& edge : edges) {
    const auto place = static_cast<std::uint32_t>(tails_.size());
    if (groups_.empty() || groups_.back().entity != edge.head || groups_.back().relation != edge.relation) {
      groups_.push_back({edge.head, edge.relation, place, place});
      ++groups_of_[edge.head + 1];
    }
    groups_.back().end = place + 1;
    tails_.push_back(edge.tail);
  }
  for (std::size_t e = 1; e < groups_of_.size(); ++e) groups_of_[e] += groups_of_[e - 1];
  twins_.reserve(tails_.size());
  for (const Triple& edge : edges) twins_.push_back(*find(edge.tail, inverse(edge.relation, relations)));
  loops_.reserve(groups_.size());
  for (const Group& group : groups_) loops_.push_back(contains(group, group.entity));
}

std::optional<GroupId> EdgeGroups::find(EntityId entity, RelationId relation) const {
  const auto begin = groups_.begin() + first_group(entity), end = groups_.begin() + end_group(entity);
  const auto found = std::lower_bound(begin, end, relation,
                                      [](const Group& group, RelationId wanted) { return group.relation < wanted; });
  if (found == end || found->relation != relation) return std::nullopt;
  return static_cast<GroupId>(found - groups_.begin());
}

}  // namespace hasa
