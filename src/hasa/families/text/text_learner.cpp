#include "hasa/families/text/text_learner.h"

#include <utility>

#include "hasa/base/rng.h"
#include "hasa/ops/core/region.h"
#include "hasa/train/text_portions.h"

namespace hasa {
namespace {

StepPlanOptions plan_options(const TextFamily& config, const TextModel& model) {
  return {.joint = model.config().query == QueryForm::joint, .context = tells_edges(config.text)};
}

}  // namespace

TextLearner::TextLearner(const TextFamily& config, TextModel model, TextInputs inputs, const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      config_(config),
      seed_(context.seed),
      graph_(context.graph),
      model_(std::move(model)),
      inputs_(std::move(inputs)),
      terms_(pair_terms(config.terms, graph_)),
      known_(KnownAnswers::of_training(graph_)),
      triples_(with_inverses(graph_.triples(Split::train), graph_.relations())),
      bank_step_(torch::full({1}, -1, torch::kInt64)),
      order_(seed_, static_cast<std::int64_t>(triples_.size()), config.train.batch),
      ahead_order_(order_),
      planner_(known_, graph_.entities(), config.negatives, plan_options(config, model_)),
      ahead_([this](std::int64_t step) { return prepare(step); }) {
  if (terms_) model_.add_pair_weights(terms_->num_weights());
  if (inputs_.has_soft_tokens()) model_.add_soft_tokens(graph_.entities(), graph_.num_directed_relations());
  if (config.loss.kind == ContrastiveKind::hasa && config.loss.tau > 0)
    near_.emplace(Adjacency(graph_), config.negatives.near);
  if (config.negatives.hard > 0) {
    if (config.negatives.refresh == BankRefresh::overwrite) refresh_bank(0);  // the miner reads entities at once
    miner_.emplace(model_, inputs_, known_, config.negatives,
                   MinerSetting{config.train.batch, config.train.epochs * order_.steps_per_epoch(), seed_,
                                tells_edges(config.text)},
                   context.comm);
  }
}

std::vector<StepTriple> TextLearner::batch_of(std::int64_t step, BatchOrder& order) const {
  const std::size_t training = triples_.size() / 2;
  std::vector<StepTriple> batch;
  for (const std::int64_t row : order.rows_of(step)) {
    const auto place = static_cast<std::size_t>(row);
    batch.push_back({triples_[place], static_cast<std::uint32_t>(place % training)});
  }
  return batch;
}

TextStep TextLearner::prepare(std::int64_t step) {
  const std::vector<StepTriple> batch = batch_of(step, ahead_order_);
  Rng rng(seed_, "step", static_cast<std::uint64_t>(step));
  std::vector<EntityId> heads, near;
  for (const StepTriple& asked : batch) heads.push_back(asked.triple.head);
  const std::uint64_t near_seed = rng.next(), text_seed = rng.next();
  if (near_) {
    const auto samples = static_cast<std::size_t>(config_.negatives.neighbours);
    near.resize(batch.size() * samples);
    near_->sample(heads, samples, near_seed, near);
  }
  std::vector<EntityId> more;
  if (miner_) more = miner_->mined(step, batch.size());
  for (std::size_t i = 0; i < batch.size() * static_cast<std::size_t>(config_.negatives.random); ++i) {
    more.push_back(static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(graph_.entities()))));
  }
  const StepPlan plan = planner_.plan({batch, more, near});
  TextStep made = make_text_step(plan, inputs_.for_training(plan.texts, text_seed), config_.train.chunk_tokens,
                                 model_.device(), comm());
  if (terms_) {
    std::vector<EntityId> columns;
    for (std::int64_t i = 0; i < plan.columns; ++i) columns.push_back(plan.texts[static_cast<std::size_t>(i)].entity);
    made.terms = tensors_of(terms_->of_step(batch, columns), model_.device());
  }
  return made;
}

torch::Tensor TextLearner::scores_of(const TextStep& step, const torch::Tensor& queries,
                                     const torch::Tensor& entities) const {
  const torch::Tensor alike = torch::mm(queries, entities.t()) * model_.scale();
  return step.terms ? alike + term_matrix(model_.pair_weights(), *step.terms, step.batch, step.columns) : alike;
}

ContrastiveLoss TextLearner::loss_of(const TextStep& step, const torch::Tensor& texts) {
  const bool joint = model_.config().query == QueryForm::joint;
  // One call, so that entities and relations are made alike.
  const torch::Tensor read = joint ? texts : model_.entities(texts, /*training=*/true);
  const torch::Tensor rest = read.narrow(0, step.columns, read.size(0) - step.columns);
  torch::Tensor entities = read.narrow(0, 0, step.columns);
  if (joint) entities = model_.entities(entities, /*training=*/true);
  const torch::Tensor queries = joint ? model_.joint_queries(rest)
                                      : model_.gru_queries(entities.index_select(0, step.heads), rest, step.relations);
  if (miner_) miner_->overwrite(step.entities, entities.detach().index_select(0, step.entity_columns));
  const torch::Tensor scale = model_.scale();
  return contrastive_loss({.scores = scores_of(step, queries, entities),
                           .negative = step.negative(),
                           .positive = step.positive,
                           .margin = scale.detach() * config_.loss.margin,
                           .multiplicity = step.multiplicity,
                           .neighbours = step.neighbours},
                          config_.loss);
}

TextStep TextLearner::take(std::int64_t step) {
  const Region region("inputs");
  return ahead_.take(step).to(model_.device());
}

torch::Tensor TextLearner::read(const PackedTokens& tokens) const {
  const Region region("reading");
  return model_.read(tokens, /*training=*/true);
}

void TextLearner::refresh_bank(std::int64_t step) {
  if (!inputs_.has_soft_tokens()) return;
  const std::int64_t read_at = bank_step_.item<std::int64_t>();
  if (read_at >= 0 && step >= read_at && step < read_at + config_.text.soft_refresh) return;
  const Region region("reading neighbours");
  model_.set_bank(own_word_vectors(model_, inputs_, /*show_progress=*/false, comm()));
  bank_step_.fill_(step);
}

StepReport TextLearner::backward(std::int64_t step) {
  refresh_bank(step);
  if (miner_ && miner_->needs(step)) {
    const Region region("mining");
    miner_->mine(step, [this](std::int64_t each) { return batch_of(each, order_); });
  }
  if (miner_) ahead_.set_limit(miner_->limit());
  const TextStep now = take(step);
  ContrastiveLoss result;
  const PortionReading reading{.at_once = now.chunks.size() == 1,
                               .portions = now.chunks.size(),
                               .read = [&](std::size_t i) { return read(now.chunks[i]); },
                               .loss =
                                   [&](const torch::Tensor& texts) {
                                     result = loss_of(now, texts);
                                     return result.loss;
                                   },
                               .collect = [&] { model_.collect_gradients(); },
                               .last_pass = [this] { last_pass_begins(); },
                               .device = model_.device()};
  backward_of_texts(reading, now.shares, comm());
  StepReport report{.loss = result.loss.detach(),
                    .gradient_norm = {},
                    .metrics = {model_.scale().detach(), result.information},
                    .tokens = now.tokens,
                    .flops = model_.flops_per_token() * static_cast<double>(now.tokens)};
  if (near_) report.metrics.push_back(result.floored);
  return report;
}

std::vector<std::string> TextLearner::metric_names() const {
  std::vector<std::string> names{"scale", "information"};
  if (near_) names.emplace_back("floored");
  return names;
}

NamedTensors TextLearner::further_state() const {
  NamedTensors state = miner_ ? miner_->state() : NamedTensors{};
  if (inputs_.has_soft_tokens()) {
    state.push_back({"neighbours_read_at", bank_step_});
    state.push_back({"neighbours", model_.bank()});
  }
  return state;
}

void TextLearner::loaded() {
  model_.publish();
  if (miner_) miner_->state_changed();
}

}  // namespace hasa
