#include "hasa/kg/split_dealer.h"

#include <algorithm>

namespace hasa {

SplitDealer::SplitDealer(std::span<const Triple> triples, EntityId entities, RelationId relations)
    : triples_(triples),
      labels_(triples.size(), Split::train),
      sizes_{triples.size(), 0, 0},
      entities_left_(static_cast<std::size_t>(entities), 0),
      relations_left_(static_cast<std::size_t>(relations), 0) {
  for (const Triple& t : triples) count(t, 1);
}

void SplitDealer::count(const Triple& t, int change) {
  entities_left_[t.head] += static_cast<std::uint32_t>(change);
  if (t.tail != t.head) entities_left_[t.tail] += static_cast<std::uint32_t>(change);
  relations_left_[t.relation] += static_cast<std::uint32_t>(change);
}

/// Whether training still has its entities, those held out aside, and its relation.
bool SplitDealer::is_left(const Triple& t) const {
  const auto has = [&](EntityId e) { return entities_left_[e] > 0 || (!held_.empty() && held_[e]); };
  return has(t.head) && has(t.tail) && relations_left_[t.relation] > 0;
}

void SplitDealer::force(std::uint32_t triple, Split split) {
  --sizes_[static_cast<std::size_t>(labels_[triple])];
  if (labels_[triple] == Split::train) count(triples_[triple], -1);
  labels_[triple] = split;
  ++sizes_[static_cast<std::size_t>(split)];
}

bool SplitDealer::move(std::span<const std::uint32_t> triples, Split split) {
  const auto in_training = [&](std::uint32_t i) { return labels_[i] == Split::train; };
  if (!std::all_of(triples.begin(), triples.end(), in_training)) return false;
  for (const std::uint32_t i : triples) count(triples_[i], -1);
  const bool possible =
      std::all_of(triples.begin(), triples.end(), [&](std::uint32_t i) { return is_left(triples_[i]); });
  for (const std::uint32_t i : triples) count(triples_[i], 1);
  if (!possible) return false;
  for (const std::uint32_t i : triples) force(i, split);
  return true;
}

bool SplitDealer::hold_out(EntityId entity, const Adjacency& adjacency, Split split) {
  if (held_.empty()) held_.resize(entities_left_.size());
  std::vector<std::uint32_t> own;
  for (const Edge& edge : adjacency.edges(entity)) {
    if (labels_[edge.triple] == Split::train) own.push_back(edge.triple);
  }
  std::sort(own.begin(), own.end());  // a loop is an edge at both its ends
  own.erase(std::unique(own.begin(), own.end()), own.end());
  held_[entity] = true;
  const bool possible = !adjacency.edges(entity).empty() && move(own, split);
  held_[entity] = possible;
  return possible;
}

}  // namespace hasa
