#include "hasa/families/star/star_step.h"

#include <map>
#include <unordered_map>

#include "hasa/train/host_tensor.h"
#include "hasa/train/text_portions.h"

namespace hasa {
namespace {

EntityId false_tail_of(const Triple& triple, EntityId entities, const KnownAnswers& known, Rng& rng) {
  constexpr int kDraws = 100;
  for (int i = 0; i < kDraws; ++i) {
    const auto entity = static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(entities)));
    if (!known.contains(triple.head, triple.relation, entity)) return entity;
  }
  return -1;
}

}  // namespace

std::vector<EntityId> with_false_tails(std::span<const Triple> batch, std::int64_t negatives, EntityId entities,
                                       const KnownAnswers& known, Rng& rng) {
  std::vector<EntityId> candidates;
  candidates.reserve(batch.size() * static_cast<std::size_t>(1 + negatives));
  for (const Triple& triple : batch) {
    candidates.push_back(triple.tail);
    for (std::int64_t i = 0; i < negatives; ++i) candidates.push_back(false_tail_of(triple, entities, known, rng));
  }
  return candidates;
}

StarPlan plan_star_step(std::span<const Triple> batch, std::span<const EntityId> candidates) {
  StarPlan plan;
  std::map<std::pair<EntityId, RelationId>, std::int64_t> queries;
  for (const Triple& triple : batch) {
    const auto [place, fresh] = queries.try_emplace({triple.head, triple.relation}, std::ssize(plan.texts));
    if (fresh) plan.texts.push_back(TextRequest::of_query(triple.head, triple.relation));
    plan.query.push_back(place->second);
  }
  std::unordered_map<EntityId, std::int64_t> entities;
  for (const EntityId entity : candidates) {
    if (entity < 0) {
      plan.candidates.push_back(-1);
      continue;
    }
    const auto [place, fresh] = entities.try_emplace(entity, std::ssize(plan.texts));
    if (fresh) plan.texts.push_back(TextRequest::of_entity(entity));
    plan.candidates.push_back(place->second);
  }
  return plan;
}

StarStep make_star_step(const StarPlan& plan, const TextInputs& inputs, std::int64_t chunk_tokens,
                        const torch::Device& device, const Comm& comm) {
  const PackedInputs texts = inputs.for_evaluation(plan.texts);  // an entity's own words: nothing is drawn for them
  StarStep step;
  SharedPortions shared = shared_portions_of(texts, chunk_tokens, device, comm);
  step.portions = std::move(shared.own);
  step.shares = std::move(shared.shares);
  step.tokens = static_cast<std::int64_t>(texts.ids.size());
  step.query = host_tensor(plan.query, torch::kInt64, device);
  step.candidates = host_tensor(plan.candidates, torch::kInt64, device).view({step.query.size(0), -1});
  return step;
}

StarStep StarStep::to(const torch::Device& device) const {
  StarStep moved = *this;
  for (PackedTokens& portion : moved.portions) portion = portion.to(device);
  moved.query = query.to(device, /*non_blocking=*/true);
  moved.candidates = candidates.to(device, /*non_blocking=*/true);
  return moved;
}

}  // namespace hasa
