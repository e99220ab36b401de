#include "hasa/families/frozen/drawn_candidates.h"

#include <algorithm>
#include <iterator>

namespace hasa {
namespace {

/// By rising id (Floyd's method).
std::vector<EntityId> different_entities(EntityId entities, std::int64_t count, Rng& rng) {
  std::vector<bool> is_drawn(static_cast<std::size_t>(entities));
  std::vector<EntityId> drawn;
  const auto taken = static_cast<EntityId>(std::min<std::int64_t>(count, entities));
  for (EntityId last = entities - taken; last < entities; ++last) {
    auto entity = static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(last) + 1));
    if (is_drawn[static_cast<std::size_t>(entity)]) entity = last;
    is_drawn[static_cast<std::size_t>(entity)] = true;
    drawn.push_back(entity);
  }
  std::ranges::sort(drawn);
  return drawn;
}

void make_a_set(std::vector<EntityId>& entities) {
  std::ranges::sort(entities);
  entities.erase(std::ranges::unique(entities).begin(), entities.end());
}

}  // namespace

DrawnCandidates draw_candidates(std::span<const Triple> batch, std::span<const EntityId> near,
                                const KnownAnswers& known, EntityId entities, std::int64_t count, Rng rng) {
  std::vector<EntityId> candidates = different_entities(entities, count, rng);
  for (const Triple& triple : batch) candidates.push_back(triple.tail);
  make_a_set(candidates);

  DrawnCandidates drawn;
  drawn.entities = candidates;
  std::ranges::copy_if(near, std::back_inserter(drawn.entities), [](EntityId entity) { return entity >= 0; });
  make_a_set(drawn.entities);
  const auto column_of = [&](EntityId entity) {
    return std::ranges::lower_bound(drawn.entities, entity) - drawn.entities.begin();
  };
  for (const EntityId entity : near) drawn.near.push_back(entity < 0 ? -1 : column_of(entity));

  std::vector<std::int64_t> no_candidates;
  for (std::size_t c = 0; c < drawn.entities.size(); ++c) {
    if (!std::ranges::binary_search(candidates, drawn.entities[c]))
      no_candidates.push_back(static_cast<std::int64_t>(c));
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    drawn.positive.push_back(column_of(batch[i].tail));
    const auto row = static_cast<std::int64_t>(i * drawn.entities.size());
    for (const std::int64_t column : no_candidates) drawn.no_negatives.push_back(row + column);
    for (const EntityId tail : known.tails(batch[i].head, batch[i].relation)) {
      if (std::ranges::binary_search(candidates, tail)) drawn.no_negatives.push_back(row + column_of(tail));
    }
  }
  return drawn;
}

}  // namespace hasa
