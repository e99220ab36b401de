#include "hasa/families/star/star_learner.h"

#include <utility>

#include "hasa/ops/core/region.h"
#include "hasa/train/text_portions.h"

namespace hasa {

StarLearner::StarLearner(const StarFamily& config, StarModel model, TextInputs inputs, const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      config_(config),
      seed_(context.seed),
      entities_(context.graph.entities()),
      model_(std::move(model)),
      inputs_(std::move(inputs)),
      known_(KnownAnswers::of_training(context.graph)),
      triples_(with_inverses(context.graph.triples(Split::train), context.graph.relations())),
      order_(seed_, std::ssize(triples_), config.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }) {}

StarStep StarLearner::prepare(std::int64_t step) {
  std::vector<Triple> batch;
  for (const std::int64_t row : order_.rows_of(step)) batch.push_back(triples_[static_cast<std::size_t>(row)]);
  Rng rng(seed_, "step", static_cast<std::uint64_t>(step));
  const std::vector<EntityId> candidates = with_false_tails(batch, config_.negatives.random, entities_, known_, rng);
  return make_star_step(plan_star_step(batch, candidates), inputs_, config_.train.chunk_tokens,
                        model_.encoder().device(), comm());
}

StarLoss StarLearner::loss_of(const StarStep& step, const torch::Tensor& texts) const {
  const torch::Tensor queries = texts.index_select(0, step.query).unsqueeze(1);  // [batch, 1, hidden]
  const torch::Tensor places = step.candidates.clamp_min(0).view({-1});
  const torch::Tensor entities =
      texts.index_select(0, places).view({step.candidates.size(0), step.candidates.size(1), -1});
  return star_loss({.logits = model_.logits(queries, entities, /*training=*/true),
                    .distances = StarModel::distances(queries, entities),
                    .counted = step.candidates >= 0},
                   config_.loss);
}

StepReport StarLearner::backward(std::int64_t step) {
  const StarStep now = ahead_.take(step).to(model_.encoder().device());
  StarLoss result;
  const PortionReading reading{.at_once = now.portions.size() == 1,
                               .portions = now.portions.size(),
                               .read =
                                   [&](std::size_t i) {
                                     const Region region("reading");
                                     return model_.encoder().read(now.portions[i], /*training=*/true);
                                   },
                               .loss =
                                   [&](const torch::Tensor& texts) {
                                     result = loss_of(now, texts);
                                     return result.loss;
                                   },
                               .collect = [&] { model_.encoder().collect_gradients(); },
                               .last_pass = [this] { last_pass_begins(); },
                               .device = model_.encoder().device()};
  backward_of_texts(reading, now.shares, comm());
  return {.loss = result.loss.detach(),
          .gradient_norm = {},
          .metrics = {result.classification.detach(), result.ranking.detach()},
          .tokens = now.tokens,
          .flops = model_.encoder().flops_per_token() * static_cast<double>(now.tokens)};
}

}  // namespace hasa
