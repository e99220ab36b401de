#include "hasa/families/simkgc/simkgc_learner.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

#include "hasa/base/rng.h"
#include "hasa/ops/core/region.h"
#include "hasa/ops/score/unit_rows.h"
#include "hasa/train/text_portions.h"

namespace hasa {
namespace {

BatchOrder order_of(const SimkgcFamily& config, std::uint64_t seed, std::int64_t examples) {
  const std::int64_t ends = config.train.both_ends ? 2 : 1;  // that a row stands for
  return {seed, examples / ends, config.train.batch / ends};
}

}  // namespace

EarlierTails::EarlierTails(std::int64_t slots, std::int64_t batch, std::int64_t dim, const torch::Device& device)
    : batch(batch),
      vectors(torch::zeros({slots * batch, dim}, torch::TensorOptions(device))),
      steps(torch::full({slots}, -1, torch::kInt64)) {}

std::int64_t EarlierTails::step_in(std::int64_t slot, std::int64_t step) const {
  const std::int64_t back = (step - 1 - slot + slots()) % slots();  // steps since the slot was filled, less one
  return std::max<std::int64_t>(step - 1 - back, -1);
}

void EarlierTails::keep(const torch::Tensor& tails, std::int64_t step) {
  if (slots() == 0) return;
  const at::NoGradGuard no_gradients;
  vectors.narrow(0, step % slots() * batch, tails.size(0)).copy_(tails);
  steps[step % slots()] = step;
}

SimkgcLearner::SimkgcLearner(const SimkgcFamily& config, SimkgcModel model, TextInputs inputs,
                             const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      config_(config),
      seed_(context.seed),
      model_(std::move(model)),
      inputs_(std::move(inputs)),
      known_(KnownAnswers::of_training(context.graph)),
      triples_(with_inverses(context.graph.triples(Split::train), context.graph.relations())),
      earlier_(config.negatives.pre_batches, config.train.batch, model_.entities().weights().config().hidden,
               model_.device()),
      order_(order_of(config, seed_, std::ssize(triples_))),
      ahead_([this](std::int64_t step) { return prepare(step); }) {}

std::vector<Triple> SimkgcLearner::batch_of(std::int64_t step) {
  std::vector<Triple> batch;
  const std::size_t inverses = triples_.size() / 2;
  for (const std::int64_t row : order_.rows_of(step)) {
    batch.push_back(triples_[static_cast<std::size_t>(row)]);
    if (config_.train.both_ends) batch.push_back(triples_[static_cast<std::size_t>(row) + inverses]);
  }
  return batch;
}

SimkgcStep SimkgcLearner::prepare(std::int64_t step) {
  std::vector<EntityId> earlier(static_cast<std::size_t>(earlier_.vectors.size(0)), -1);
  for (std::int64_t slot = 0; slot < earlier_.slots(); ++slot) {
    const std::int64_t from = earlier_.step_in(slot, step);
    if (from < 0) continue;
    const std::vector<Triple> batch = batch_of(from);
    std::transform(batch.begin(), batch.end(), earlier.begin() + slot * earlier_.batch,
                   [](const Triple& triple) { return triple.tail; });
  }
  const std::vector<Triple> batch = batch_of(step);
  const SimkgcPlan plan =
      plan_simkgc_step({.batch = batch, .earlier = earlier, .heads = config_.negatives.self}, known_, inputs_);
  return make_simkgc_step(plan, inputs_, Rng(seed_, "step", static_cast<std::uint64_t>(step)).next(),
                          config_.train.chunk_tokens, model_.device(), comm());
}

torch::Tensor SimkgcLearner::negatives_of(const SimkgcStep& now, std::int64_t step) const {
  torch::Tensor negative = now.negative();
  for (std::int64_t slot = 0; slot < earlier_.slots(); ++slot) {
    const bool there = earlier_.steps[slot].item<std::int64_t>() == earlier_.step_in(slot, step);
    if (!there) negative.narrow(1, negative.size(0) + slot * earlier_.batch, earlier_.batch).fill_(false);
  }
  return negative;
}

StepReport SimkgcLearner::backward(std::int64_t step) {
  const SimkgcStep now = ahead_.take(step).to(model_.device());
  torch::Tensor loss, tails;
  const auto loss_of = [&](const torch::Tensor& texts) {
    SimkgcBatch batch{.queries = unit_rows(texts.index_select(0, now.query)),
                      .tails = unit_rows(texts.index_select(0, now.tail)),
                      .heads = {},
                      .earlier = {},
                      .negative = negatives_of(now, step),
                      .scale = model_.scale()};
    if (now.head.defined()) batch.heads = unit_rows(texts.index_select(0, now.head));
    if (earlier_.slots() > 0) batch.earlier = earlier_.vectors;
    tails = batch.tails.detach();
    loss = simkgc_loss(batch, config_.loss);
    return loss;
  };
  const bool at_once = config_.train.chunk_tokens == 0 || now.tokens <= config_.train.chunk_tokens;
  const PortionReading reading{.at_once = at_once,
                               .portions = now.portions.size(),
                               .read =
                                   [&](std::size_t i) {
                                     const Region region("reading");
                                     const TunedEncoder& reader =
                                         i < now.query_portions ? model_.queries() : model_.entities();
                                     return reader.read(now.portions[i], /*training=*/true);
                                   },
                               .loss = loss_of,
                               .collect = [&] { model_.collect_gradients(); },
                               .last_pass = [this] { last_pass_begins(); },
                               .device = model_.device()};
  backward_of_texts(reading, now.shares, comm());
  earlier_.keep(tails, step);
  return {.loss = loss.detach(),
          .gradient_norm = {},
          .metrics = {model_.scale().detach().reciprocal()},
          .tokens = now.tokens,
          .flops = model_.entities().flops_per_token() * static_cast<double>(now.tokens)};
}

NamedTensors SimkgcLearner::further_state() const {
  if (earlier_.slots() == 0) return {};
  return {{"earlier_tails", earlier_.vectors}, {"earlier_steps", earlier_.steps}};
}

}  // namespace hasa
