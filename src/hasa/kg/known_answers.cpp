#include "hasa/kg/known_answers.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/kg/head_groups.h"

namespace hasa {
namespace {

std::uint64_t key_of(RelationId relation, EntityId tail) {
  return (std::uint64_t{static_cast<std::uint32_t>(relation)} << 32) | static_cast<std::uint32_t>(tail);
}

}  // namespace

KnownAnswers::KnownAnswers(const Graph& graph, std::span<const Split> splits) {
  HeadGroups groups = group_by_head(graph.entities(), [&](const auto& emit) {
    for (const Split split : splits) {
      for (const Triple& triple : graph.triples(split)) {
        emit(triple.head, key_of(triple.relation, triple.tail));
        emit(triple.tail, key_of(inverse(triple.relation, graph.relations()), triple.head));
      }
    }
  });
  heads_.reserve(groups.offsets.size());
  tails_.reserve(groups.keys.size());
  for (EntityId head = 0; head < graph.entities(); ++head) {
    heads_.push_back(relations_.size());
    const auto keys = groups.of(head);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys[i] == keys[i - 1]) continue;
      const auto relation = static_cast<RelationId>(keys[i] >> 32);
      if (i == 0 || relation != static_cast<RelationId>(keys[i - 1] >> 32)) {
        relations_.push_back(relation);
        tails_from_.push_back(tails_.size());
      }
      tails_.push_back(static_cast<EntityId>(keys[i] & 0xFFFFFFFFU));
    }
  }
  heads_.push_back(relations_.size());
  tails_from_.push_back(tails_.size());
}

KnownAnswers KnownAnswers::of_training(const Graph& graph) {
  const Split train[] = {Split::train};
  return KnownAnswers(graph, train);
}

KnownAnswers KnownAnswers::of_all_splits(const Graph& graph) { return KnownAnswers(graph, kSplits); }

std::span<const RelationId> KnownAnswers::relations_of(EntityId head) const {
  return {relations_.data() + heads_[head], static_cast<std::size_t>(heads_[head + 1] - heads_[head])};
}

std::span<const EntityId> KnownAnswers::tails(EntityId head, RelationId relation) const {
  const auto relations = relations_of(head);
  const auto found = std::lower_bound(relations.begin(), relations.end(), relation);
  if (found == relations.end() || *found != relation) return {};
  const std::size_t query = heads_[head] + static_cast<std::size_t>(found - relations.begin());
  return {tails_.data() + tails_from_[query], static_cast<std::size_t>(tails_from_[query + 1] - tails_from_[query])};
}

bool KnownAnswers::contains(EntityId head, RelationId relation, EntityId tail) const {
  const auto known = tails(head, relation);
  return std::binary_search(known.begin(), known.end(), tail);
}

}  // namespace hasa
