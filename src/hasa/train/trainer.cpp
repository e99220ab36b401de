#include "hasa/train/trainer.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/rng.h"
#include "hasa/eval/ranking.h"
#include "hasa/loss/info_nce.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/device.h"
#include "hasa/train/checkpoint.h"

namespace hasa {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<Triple> both_directions(const Graph& graph) {
  const auto training = graph.triples(Split::train);
  std::vector<Triple> triples(training.begin(), training.end());
  for (const Triple& t : training) triples.push_back(inverse(t, graph.relations()));
  return triples;
}

/// Before the model draws its weights.
torch::Device seeded(const TrainConfig& config) {
  at::manual_seed(config.seed);
  return parse_device(config.device);
}

}  // namespace

Trainer::Trainer(const TrainConfig& config, const Graph& graph, const TextEmbeddings& texts, const Run& run)
    : config_(config),
      graph_(graph),
      run_(run),
      triples_(both_directions(graph)),
      known_training_(KnownAnswers::of_training(graph)),
      known_all_(KnownAnswers::of_all_splits(graph)),
      model_(config.model, texts, graph, seeded(config)),
      optimiser_(model_.parameters(), config.optimiser) {
  HASA_CHECK(!triples_.empty(), data, "{} has no training triples", config.graph);
}

std::int64_t Trainer::steps_per_epoch() const {
  return (static_cast<std::int64_t>(triples_.size()) + config_.train.batch - 1) / config_.train.batch;
}

bool Trainer::patience_is_over() const {
  return config_.train.patience > 0 && state_.validations_since_best >= config_.train.patience;
}

TrainEnd Trainer::train() {
  const StopSignal stop;
  if (std::filesystem::exists(run_ / Run::kLast)) {
    state_ = load_checkpoint(run_ / Run::kLast, model_.parameters(), optimiser_.state(), model_.device());
    log_info("going on after epoch {}, step {}", state_.epoch, state_.step_in_epoch);
  } else if (std::filesystem::exists(run_ / Run::kBest)) {
    log_warning("{} has no checkpoint ({}); training starts anew", run_.folder().string(), Run::kLast);
  }
  MetricsLog log(run_ / Run::kMetrics, state_.epoch);
  const std::int64_t epochs_left = config_.train.epochs - state_.epoch;
  Progress progress("training", triples_.size() * static_cast<std::uint64_t>(std::max<std::int64_t>(0, epochs_left)),
                    "triples");
  progress.advance(static_cast<std::uint64_t>(state_.step_in_epoch * config_.train.batch));
  while (state_.epoch < config_.train.epochs && !patience_is_over()) {
    progress.set_title(fmt::format("epoch {}/{}", state_.epoch + 1, config_.train.epochs));
    if (!train_epoch(progress, stop)) {
      save();
      return TrainEnd::interrupted;
    }
    end_epoch(log);
    save();
  }
  progress.set_title("training");
  HASA_CHECK(std::filesystem::exists(run_ / Run::kBest), data,
             "{} has lost its best model ({})\ntrain anew into another --out", run_.folder().string(), Run::kBest);
  return state_.epoch < config_.train.epochs ? TrainEnd::early : TrainEnd::finished;
}

bool Trainer::train_epoch(Progress& progress, const StopSignal& stop) {
  // The order depends on seed and epoch alone, so an epoch can be taken up again in its middle.
  std::vector<std::int64_t> order(triples_.size());
  std::iota(order.begin(), order.end(), 0);
  Rng(config_.seed, "order", static_cast<std::uint64_t>(state_.epoch)).shuffle(order);
  const Clock::time_point start = Clock::now();
  const double seconds_before = state_.seconds;
  while (state_.step_in_epoch < steps_per_epoch()) {
    if (stop.requested()) return false;
    const auto first = static_cast<std::size_t>(state_.step_in_epoch * config_.train.batch);
    const std::size_t count = std::min(static_cast<std::size_t>(config_.train.batch), order.size() - first);
    const double loss = step(std::span(order).subspan(first, count)).item<double>();
    HASA_CHECK(std::isfinite(loss), numeric,
               "the loss is no longer a number (epoch {}, step {})\nthe last checkpoint is kept; try a smaller "
               "optimiser.lr, or optimiser.clip=1",
               state_.epoch + 1, state_.step_in_epoch + 1);
    state_.loss_sum += loss;
    ++state_.step_in_epoch;
    state_.seconds = seconds_before + seconds_since(start);
    const std::string best = state_.best_mrr < 0 ? "" : "  valid MRR " + format_share(state_.best_mrr);
    progress.set_note(fmt::format("loss {:.3f}{}", state_.loss_sum / static_cast<double>(state_.step_in_epoch), best));
    progress.advance(count);
  }
  return true;
}

torch::Tensor Trainer::step(std::span<const std::int64_t> rows) {
  const auto training = static_cast<std::int64_t>(graph_.triples(Split::train).size());
  std::vector<Triple> batch;
  torch::Tensor keep = torch::ones({training}, torch::kBool);
  for (const std::int64_t row : rows) {
    batch.push_back(triples_[static_cast<std::size_t>(row)]);
    // The context must not show the edges that are asked for, from either end.
    keep.data_ptr<bool>()[row % training] = false;
  }
  const torch::Device device = model_.device();
  const QueryColumns columns = columns_of(batch, device);
  const torch::Tensor entities = model_.entities(keep.to(device), /*training=*/true);
  const torch::Tensor queries =
      model_.queries(entities.index_select(0, columns.heads), model_.relations(/*training=*/true), columns.relations);
  const torch::Tensor loss = info_nce_over_all(
      {queries, entities, model_.scale(), columns.tails, known_rows(known_training_, batch).to(device)}, config_.loss);
  loss.backward();
  const std::int64_t step_number = state_.epoch * steps_per_epoch() + state_.step_in_epoch;
  optimiser_.step(learning_rate(config_.optimiser, step_number, config_.train.epochs * steps_per_epoch()));
  return loss.detach();
}

void Trainer::end_epoch(MetricsLog& log) {
  ++state_.epoch;
  EpochRecord record;
  record.epoch = state_.epoch;
  record.loss = state_.loss_sum / static_cast<double>(state_.step_in_epoch);
  record.scale = model_.scale().item<double>();
  record.seconds = state_.seconds;
  record.triples_per_second = static_cast<double>(triples_.size()) / std::max(1e-9, state_.seconds);
  const bool last = state_.epoch == config_.train.epochs;
  if (!graph_.triples(Split::valid).empty() && (last || state_.epoch % config_.train.validate_every == 0)) {
    record.valid = scores_of(rank_split(*model_.scorer(), graph_, known_all_, Split::valid), graph_.relations());
  }
  // Without a validation split the newest model is the best one known.
  const bool better = record.valid ? record.valid->all.mrr > state_.best_mrr : graph_.triples(Split::valid).empty();
  if (better) {
    state_.best_mrr = record.valid ? record.valid->all.mrr : state_.best_mrr;
    state_.best_epoch = state_.epoch;
    state_.validations_since_best = 0;
    save_tensors(run_ / Run::kBest, model_.parameters(), {{"epoch", std::to_string(state_.epoch)}});
  } else if (record.valid) {
    ++state_.validations_since_best;
  }
  const std::string valid = record.valid ? "  valid MRR " + format_share(record.valid->all.mrr) : "";
  log_info("epoch {}/{}  loss {:.3f}{}  {} triples/s", state_.epoch, config_.train.epochs, record.loss, valid,
           format_count(static_cast<std::uint64_t>(record.triples_per_second)));
  log.add(record);
  state_.step_in_epoch = 0;
  state_.loss_sum = 0;
  state_.seconds = 0;
}

void Trainer::save() const {
  save_checkpoint(run_ / Run::kLast, model_.parameters(), optimiser_.state(), state_, model_.device());
}

}  // namespace hasa
