#include "hasa/families/text/text_step.h"

#include <map>

#include "hasa/train/host_tensor.h"

namespace hasa {
TextStep make_text_step(const StepPlan& plan, const PackedInputs& inputs, std::int64_t chunk_tokens,
                        const torch::Device& device, const Comm& comm) {
  const auto ids = [&](const std::vector<std::int64_t>& values) { return host_tensor(values, torch::kInt64, device); };
  TextStep step;
  step.tokens = static_cast<std::int64_t>(inputs.ids.size());
  SharedPortions shared = shared_portions_of(inputs, chunk_tokens, device, comm);
  step.chunks = std::move(shared.own);
  step.shares = std::move(shared.shares);
  step.batch = static_cast<std::int64_t>(plan.positive.size());
  step.columns = plan.columns;
  step.candidates = plan.candidates;
  step.positive = ids(plan.positive);
  step.heads = ids(plan.heads);
  step.relations = ids(plan.relations);
  if (!plan.neighbours.empty()) step.neighbours = ids(plan.neighbours).view({step.batch, -1});
  step.no_negatives = ids(plan.no_negatives);
  if (!plan.multiplicity.empty()) step.multiplicity = host_tensor(plan.multiplicity, torch::kFloat32, device);
  std::map<std::int64_t, std::int64_t> column_of;
  for (std::int64_t i = 0; i < plan.columns; ++i) {
    column_of.try_emplace(plan.texts[static_cast<std::size_t>(i)].entity, i);
  }
  std::vector<std::int64_t> entities, columns;
  for (const auto& [entity, column] : column_of) {
    entities.push_back(entity);
    columns.push_back(column);
  }
  step.entities = ids(entities);
  step.entity_columns = ids(columns);
  return step;
}

TextStep TextStep::to(const torch::Device& device) const {
  TextStep moved = *this;
  for (PackedTokens& chunk : moved.chunks) chunk = chunk.to(device);
  for (torch::Tensor TextStep::* member :
       {&TextStep::positive, &TextStep::heads, &TextStep::relations, &TextStep::neighbours, &TextStep::no_negatives,
        &TextStep::multiplicity, &TextStep::entities, &TextStep::entity_columns}) {
    if ((moved.*member).defined()) moved.*member = (moved.*member).to(device, /*non_blocking=*/true);
  }
  if (terms) moved.terms = terms->to(device);
  return moved;
}

torch::Tensor TextStep::negative() const {
  const auto options = torch::TensorOptions(torch::kBool).device(positive.device());
  torch::Tensor flags = torch::zeros({batch, columns}, options);
  flags.narrow(1, 0, candidates).fill_(true);
  flags.view(-1).index_fill_(0, no_negatives, false);
  return flags;
}

}  // namespace hasa
