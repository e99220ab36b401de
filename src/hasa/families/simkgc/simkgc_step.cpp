#include "hasa/families/simkgc/simkgc_step.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "hasa/train/host_tensor.h"

namespace hasa {
namespace {

/// A list of requests in which each stands once.
class DistinctRequests {
 public:
  DistinctRequests(const TextInputs& inputs, std::vector<TextRequest>& list) : inputs_(inputs), list_(list) {}

  /// The place of an entity's text, or of a query's, that does not name `other`.
  std::int64_t place_of(EntityId entity, RelationId relation, EntityId other) {
    const EntityId unnamed = inputs_.names(entity, other) ? other : -1;
    const auto [found, fresh] = places_.try_emplace({entity, relation, unnamed}, std::ssize(list_));
    if (fresh) list_.push_back({.entity = entity, .relation = relation, .unnamed = unnamed});
    return found->second;
  }

 private:
  const TextInputs& inputs_;
  std::vector<TextRequest>& list_;
  std::map<std::tuple<EntityId, RelationId, EntityId>, std::int64_t> places_;
};

/// The columns in which each entity stands.
std::unordered_multimap<EntityId, std::int64_t> columns_by_entity(const SimkgcCandidates& step) {
  std::unordered_multimap<EntityId, std::int64_t> columns;
  std::int64_t column = 0;
  for (const Triple& triple : step.batch) columns.emplace(triple.tail, column++);
  for (const EntityId entity : step.earlier) columns.emplace(entity, column++);  // -1: those of no entity
  return columns;
}

}  // namespace

SimkgcPlan plan_simkgc_step(const SimkgcCandidates& step, const KnownAnswers& known, const TextInputs& inputs) {
  SimkgcPlan plan;
  DistinctRequests queries(inputs, plan.queries), entities(inputs, plan.entities);
  for (const Triple& triple : step.batch) {
    plan.query.push_back(queries.place_of(triple.head, triple.relation, triple.tail));
    plan.tail.push_back(entities.place_of(triple.tail, -1, triple.head));
  }
  if (step.heads) {
    for (const Triple& triple : step.batch) plan.head.push_back(entities.place_of(triple.head, -1, triple.tail));
  }
  plan.columns = std::ssize(step.batch) + std::ssize(step.earlier) + (step.heads ? 1 : 0);
  const auto columns = columns_by_entity(step);
  const auto keep_out = [&](std::size_t query, EntityId entity) {
    const auto [first, end] = columns.equal_range(entity);
    for (auto each = first; each != end; ++each)
      plan.no_negatives.push_back(static_cast<std::int64_t>(query) * plan.columns + each->second);
  };
  for (std::size_t query = 0; query < step.batch.size(); ++query) {
    const Triple& triple = step.batch[query];
    for (const EntityId tail : known.tails(triple.head, triple.relation)) keep_out(query, tail);
    keep_out(query, -1);
    if (step.heads && known.contains(triple.head, triple.relation, triple.head))
      plan.no_negatives.push_back(static_cast<std::int64_t>(query + 1) * plan.columns - 1);
  }
  return plan;
}

SimkgcStep make_simkgc_step(const SimkgcPlan& plan, const TextInputs& inputs, std::uint64_t seed,
                            std::int64_t chunk_tokens, const torch::Device& device, const Comm& comm) {
  const auto ids = [&](const std::vector<std::int64_t>& values) { return host_tensor(values, torch::kInt64, device); };
  const PackedInputs queries = inputs.for_training(plan.queries, seed);
  const PackedInputs entities = inputs.for_training(plan.entities, seed);
  SimkgcStep step;
  for (const PackedInputs* texts : {&queries, &entities}) {
    SharedPortions shared = shared_portions_of(*texts, chunk_tokens, device, comm);
    std::ranges::move(shared.own, std::back_inserter(step.portions));
    std::ranges::move(shared.shares, std::back_inserter(step.shares));
    if (texts == &queries) step.query_portions = step.portions.size();
  }
  step.tokens = static_cast<std::int64_t>(queries.ids.size() + entities.ids.size());
  step.columns = plan.columns;
  // Entities' vectors come after those of the queries.
  const auto after_queries = [&](std::vector<std::int64_t> places) {
    for (std::int64_t& place : places) place += std::ssize(plan.queries);
    return ids(places);
  };
  step.query = ids(plan.query);
  step.tail = after_queries(plan.tail);
  if (!plan.head.empty()) step.head = after_queries(plan.head);
  step.no_negatives = ids(plan.no_negatives);
  return step;
}

SimkgcStep SimkgcStep::to(const torch::Device& device) const {
  SimkgcStep moved = *this;
  for (PackedTokens& portion : moved.portions) portion = portion.to(device);
  for (torch::Tensor SimkgcStep::* member :
       {&SimkgcStep::query, &SimkgcStep::tail, &SimkgcStep::head, &SimkgcStep::no_negatives}) {
    if ((moved.*member).defined()) moved.*member = (moved.*member).to(device, /*non_blocking=*/true);
  }
  return moved;
}

torch::Tensor SimkgcStep::negative() const {
  const auto options = torch::TensorOptions(torch::kBool).device(query.device());
  torch::Tensor flags = torch::ones({query.size(0), columns}, options);
  flags.view(-1).index_fill_(0, no_negatives, false);
  return flags;
}

}  // namespace hasa
