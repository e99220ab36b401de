#include "hasa/negative/step_plan.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hasa {

StepPlanner::StepPlanner(const KnownAnswers& known, EntityId entities, const NegativesConfig& config,
                         const StepPlanOptions& options)
    : known_(known), config_(config), options_(options), first_column_(static_cast<std::size_t>(entities), -1) {}

std::int64_t StepPlanner::add_column(StepPlan& plan, EntityId entity, std::optional<std::uint32_t> left_out) {
  const std::int64_t column = plan.columns++;
  plan.texts.push_back({entity, -1, left_out});
  auto& first = first_column_[static_cast<std::size_t>(entity)];
  next_column_.push_back(first);
  first = static_cast<std::int32_t>(column);
  times_.push_back(0);
  return column;
}

std::int64_t StepPlanner::column_of(StepPlan& plan, EntityId entity) {
  const std::int32_t there = first_column_[static_cast<std::size_t>(entity)];
  return there >= 0 ? there : add_column(plan, entity, std::nullopt);
}

std::int64_t StepPlanner::column_in_batch(StepPlan& plan, EntityId entity, std::uint32_t left_out) {
  return options_.context ? add_column(plan, entity, left_out) : column_of(plan, entity);
}

void StepPlanner::add_candidates(const StepCandidates& step, StepPlan& plan) {
  const auto name = [&](std::int64_t column) { times_[static_cast<std::size_t>(column)] += 1; };
  for (const StepTriple& asked : step.batch) {
    plan.positive.push_back(column_in_batch(plan, asked.triple.tail, asked.number));
    name(plan.positive.back());
  }
  const auto heads = static_cast<std::size_t>(std::ceil(config_.heads * static_cast<double>(step.batch.size())));
  for (const StepTriple& asked : step.batch.first(heads)) {
    const std::int64_t column = column_in_batch(plan, asked.triple.head, asked.number);
    if (!options_.joint) plan.heads.push_back(column);
    name(column);
  }
  for (const EntityId entity : step.mined) {
    if (entity >= 0) name(column_of(plan, entity));
  }
  plan.candidates = plan.columns;
  if (!options_.joint) {
    for (const StepTriple& asked : step.batch.subspan(heads)) {
      plan.heads.push_back(column_in_batch(plan, asked.triple.head, asked.number));
    }
  }
  const std::size_t samples = step.batch.empty() ? 0 : step.neighbours.size() / step.batch.size();
  for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
    const EntityId entity = step.neighbours[i];
    // The answer itself may be drawn; its text that leaves out the edge asked for is the one to read.
    const bool answer = entity == step.batch[i / samples].triple.tail;
    plan.neighbours.push_back(entity < 0 ? -1 : answer ? plan.positive[i / samples] : column_of(plan, entity));
  }
  if (config_.multiset) {
    plan.multiplicity = times_;
    for (float& times : plan.multiplicity) times = std::max(times, 1.0F);
  }
}

void StepPlanner::add_queries(const StepCandidates& step, StepPlan& plan) {
  if (options_.joint) {
    for (const StepTriple& asked : step.batch) {
      plan.texts.push_back({asked.triple.head, asked.triple.relation, asked.number});
    }
    return;
  }
  std::unordered_map<RelationId, std::int64_t> places;
  for (const StepTriple& asked : step.batch) {
    const auto [place, fresh] = places.try_emplace(asked.triple.relation, static_cast<std::int64_t>(places.size()));
    if (fresh) plan.texts.push_back(TextRequest::of_relation(asked.triple.relation));
    plan.relations.push_back(place->second);
  }
}

void StepPlanner::find_no_negatives(const StepCandidates& step, StepPlan& plan) const {
  for (std::size_t query = 0; query < step.batch.size(); ++query) {
    const Triple& triple = step.batch[query].triple;
    const std::int64_t row = static_cast<std::int64_t>(query) * plan.columns;
    const auto keep_out = [&](EntityId entity) {
      for (std::int32_t column = first_column_[static_cast<std::size_t>(entity)]; column >= 0;
           column = next_column_[static_cast<std::size_t>(column)]) {
        if (column < plan.candidates) plan.no_negatives.push_back(row + column);
      }
    };
    if (config_.kept_out == KeptOut::answer) {
      keep_out(triple.tail);
    } else {
      for (const EntityId tail : known_.tails(triple.head, triple.relation)) keep_out(tail);
    }
  }
}

StepPlan StepPlanner::plan(const StepCandidates& step) {
  StepPlan plan;
  next_column_.clear();
  times_.clear();
  add_candidates(step, plan);
  add_queries(step, plan);
  find_no_negatives(step, plan);
  for (std::int64_t column = 0; column < plan.columns; ++column) {
    first_column_[static_cast<std::size_t>(plan.texts[static_cast<std::size_t>(column)].entity)] = -1;
  }
  return plan;
}

}  // namespace hasa
