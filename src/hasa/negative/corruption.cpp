#include "hasa/negative/corruption.h"

#include <algorithm>

namespace hasa {
namespace {

constexpr int kDraws = 200;

EntityId any_of(std::span<const EntityId> entities, Rng& rng) { return entities[rng.below(entities.size())]; }

void keep_distinct(std::vector<EntityId>& entities) {
  std::sort(entities.begin(), entities.end());
  entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
}

}  // namespace

template <class Draw>
std::optional<Triple> Corruption::drawn(const Triple& triple, const Draw& draw) const {
  for (int i = 0; i < kDraws; ++i) {
    const Triple made = draw();
    if (made != triple && !is_known(made)) return made;
  }
  return std::nullopt;
}

std::optional<Triple> Corruption::of_an_end(const Triple& triple, Rng& rng) const {
  return drawn(triple, [&] {
    const bool head = rng.below(2) == 0;
    const auto entity = static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(entities_)));
    return head ? Triple{entity, triple.relation, triple.tail} : Triple{triple.head, triple.relation, entity};
  });
}

std::optional<Triple> Corruption::of_an_end(const Triple& triple, const Ends& ends, Rng& rng) const {
  const auto heads = ends.heads(triple.relation), tails = ends.tails(triple.relation);
  if (heads.empty()) return of_an_end(triple, rng);  // of a relation that those triples do not have
  return drawn(triple, [&] {
    return rng.below(2) == 0 ? Triple{any_of(heads, rng), triple.relation, triple.tail}
                             : Triple{triple.head, triple.relation, any_of(tails, rng)};
  });
}

std::optional<Triple> Corruption::of_the_relation(const Triple& triple, Rng& rng) const {
  return drawn(triple, [&] {
    const auto relation = static_cast<RelationId>(rng.below(static_cast<std::uint64_t>(relations_)));
    return Triple{triple.head, relation, triple.tail};
  });
}

Corruption::Ends::Ends(std::span<const Triple> triples, RelationId relations)
    : heads_(static_cast<std::size_t>(relations)), tails_(static_cast<std::size_t>(relations)) {
  for (const Triple& triple : triples) {
    heads_[static_cast<std::size_t>(triple.relation)].push_back(triple.head);
    tails_[static_cast<std::size_t>(triple.relation)].push_back(triple.tail);
  }
  for (auto* lists : {&heads_, &tails_}) std::for_each(lists->begin(), lists->end(), keep_distinct);
}

}  // namespace hasa
