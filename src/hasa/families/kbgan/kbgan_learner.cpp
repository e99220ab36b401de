#include "hasa/families/kbgan/kbgan_learner.h"

#include "hasa/base/rng.h"
#include "hasa/families/kbgan/kbgan_memory.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/table/draw_candidates.h"

namespace hasa {
namespace {

constexpr double kKeptOfRewards = 0.99;

/// A sample from softmax(log_weights) per row, [n, 1]: the maximum after adding Gumbel noise, which is drawn for all
/// rows of the step. Never synchronises.
torch::Tensor chosen(const torch::Tensor& log_weights, const RowShare& share, std::int64_t all) {
  const torch::Tensor uniform = torch::rand({all, log_weights.size(1)}, log_weights.options());
  const torch::Tensor noise = -(-uniform.clamp_min(1e-20).log()).log();
  return (log_weights + noise.narrow(0, share.first, share.count)).argmax(1, /*keepdim=*/true);
}

KbganModel model_that_fits(const KbganFamily& config, const TrainContext& context) {
  check_players_fit(config, context.graph, context.device);
  return KbganModel(config.model, context.graph.entities(), context.graph.relations(), context.device);
}

}  // namespace

KbganLearner::KbganLearner(const KbganFamily& config, const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      config_(config),
      seed_(context.seed),
      model_(model_that_fits(config, context)),
      device_(context.device),
      entities_(context.graph.entities()),
      triples_(with_inverses(context.graph.triples(Split::train), context.graph.relations())),
      order_(seed_, static_cast<std::int64_t>(triples_.size()), config.train.batch),
      rewards_(torch::zeros({2}, torch::TensorOptions(device_))) {
  if (config.model.filtered) index_.emplace(known_.emplace(KnownAnswers::of_training(context.graph)), device_);
}

torch::Tensor KbganLearner::candidates(std::span<const Triple> triples, const QueryColumns& columns,
                                       std::int64_t step) const {
  const std::uint64_t seed = Rng(seed_, "negatives", static_cast<std::uint64_t>(step)).next();
  const IdRanges known = index_ ? index_->rows(triples) : IdRanges{};
  return draw_candidates(columns.tails, model_.config().candidates, entities_, seed, known)
      .slice(1, 1)
      .to(torch::kInt64);
}

torch::Tensor KbganLearner::answer_and_negative(const QueryColumns& batch, const torch::Tensor& negatives) const {
  return model_.discriminator_scores(batch.heads, batch.relations,
                                     torch::cat({batch.tails.unsqueeze(1), negatives}, 1));
}

torch::Tensor KbganLearner::mean(const torch::Tensor& own, const Step& step) const {
  return comm().alone() ? own.mean() : own.sum() / static_cast<double>(step.triples);
}

torch::Tensor KbganLearner::margin_loss(const torch::Tensor& scores, const Step& step) const {
  return mean(torch::relu(model_.config().margin - scores.select(1, 0) + scores.select(1, 1)), step);
}

torch::Tensor KbganLearner::pretrain(const Step& step) {
  const QueryColumns& batch = step.columns;
  const torch::Tensor candidates = torch::cat({batch.tails.unsqueeze(1), step.drawn}, 1);
  const torch::Tensor scores = model_.generator_scores(batch.heads, batch.relations, candidates);
  const torch::Tensor of_generator = mean(scores.logsumexp(1) - scores.select(1, 0), step);
  const torch::Tensor of_discriminator = margin_loss(answer_and_negative(batch, step.drawn.slice(1, 0, 1)), step);
  last_pass_begins();
  (of_generator + of_discriminator).backward();
  return of_discriminator.detach();
}

torch::Tensor KbganLearner::play(const Step& step) {
  const QueryColumns& batch = step.columns;
  const torch::Tensor log_chances = model_.generator_scores(batch.heads, batch.relations, step.drawn).log_softmax(1);
  const torch::Tensor choice = chosen(log_chances.detach(), step.share, step.triples);
  const torch::Tensor scores = answer_and_negative(batch, step.drawn.gather(1, choice));
  const torch::Tensor of_discriminator = margin_loss(scores, step), reward = scores.detach().select(1, 1);
  torch::Tensor mean_reward_now = mean(reward, step);
  comm().all_reduce(mean_reward_now);
  rewards_.mul_(kKeptOfRewards)
      .add_(torch::stack({mean_reward_now, torch::ones_like(mean_reward_now)}) * (1 - kKeptOfRewards));
  const torch::Tensor advantage = reward - mean_reward();
  const torch::Tensor of_generator = -mean(advantage * log_chances.gather(1, choice).squeeze(1), step);
  last_pass_begins();
  (of_generator + of_discriminator).backward();
  return of_discriminator.detach();
}

KbganLearner::Step KbganLearner::step_of(std::int64_t number) {
  std::vector<Triple> triples;
  for (const std::int64_t row : order_.rows_of(number)) triples.push_back(triples_[static_cast<std::size_t>(row)]);
  const QueryColumns all = columns_of(triples, device_);
  const torch::Tensor drawn = candidates(triples, all, number);
  const RowShare share = comm().share_of(std::ssize(triples));
  if (comm().alone()) return {all, drawn, share, share.count};
  const auto own = [&](const torch::Tensor& rows) { return rows.narrow(0, share.first, share.count); };
  return {{own(all.heads), own(all.relations), own(all.tails)}, own(drawn), share, std::ssize(triples)};
}

StepReport KbganLearner::backward(std::int64_t step) {
  const Step now = step_of(step);
  const bool alone = step < model_.config().pretrain_epochs * order_.steps_per_epoch();
  torch::Tensor loss = alone ? pretrain(now) : play(now);
  comm().all_reduce(loss);
  return {.loss = loss, .gradient_norm = {}, .metrics = {}};
}

void KbganLearner::save_model(const std::filesystem::path& folder,
                              const std::map<std::string, std::string>& about) const {
  save_tensors(folder / "model.safetensors", model_.parameters(), about);
}

}  // namespace hasa
