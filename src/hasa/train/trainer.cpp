#include "hasa/train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <type_traits>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/memory.h"
#include "hasa/base/stopwatch.h"
#include "hasa/eval/query_sample.h"
#include "hasa/eval/rank_together.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/out_of_memory.h"
#include "hasa/train/checkpoint.h"
#include "hasa/train/generator_states.h"
#include "hasa/train/sharded_tensors.h"

namespace hasa {
namespace {

constexpr int kStepsBetweenLooks = 20;       // on a GPU, which would require synchronising
constexpr double kVanishedGradient = 1e-12;  // of all weights together
constexpr int kLooksUntilVanished = 3;

/// Keeps a checkpoint under a second name; where the file system has no links there is none.
void keep_as(const std::filesystem::path& previous, const std::filesystem::path& last) {
  std::error_code ignored;
  if (!std::filesystem::exists(last, ignored)) return;
  std::filesystem::remove(previous, ignored);
  std::filesystem::create_hard_link(last, previous, ignored);
}

/// Falls back to the previous checkpoint; if neither loads, the last one's problem is reported.
void load_instead(const std::string& problem, const std::function<void()>& load_previous) {
  try {
    load_previous();
  } catch (const Error& error) {
    fail(ErrorKind::data,
         "{}\nthe previous one does not load either: {}\nif both are damaged, train again into another --out", problem,
         error.what());
  }
  log_warning("{}\nresuming from the previous checkpoint", problem);
}

/// Its content hash, as a checkpoint keeps it.
std::int64_t mark_of(const Graph& graph) { return static_cast<std::int64_t>(graph.content_hash()); }

/// Of several processes: which of them a signal asked to stop.
void name_who_was_asked(bool here, Comm& comm) {
  if (comm.alone()) return;
  const torch::Tensor asked = comm.all_gather(torch::full({1}, here ? 1 : 0, torch::kInt32)).view({-1});
  for (int rank = 0; rank < comm.size(); ++rank)
    if (asked[rank].item<int>() != 0) log_info("rank {} was asked to stop by a signal", rank);
}

/// For as long as it lives, the average of the learner's weights, where it keeps one, is in their place.
class AverageInPlace {
 public:
  explicit AverageInPlace(Learner& learner) : learner_(learner) { learner_.exchange_average(); }
  ~AverageInPlace() { learner_.exchange_average(); }
  AverageInPlace(const AverageInPlace&) = delete;
  AverageInPlace& operator=(const AverageInPlace&) = delete;

 private:
  Learner& learner_;
};

std::string rates(const TrainState& state, double examples, const char* name, const torch::Device& device) {
  const double seconds = std::max(1e-9, state.seconds);
  std::string text = fmt::format("{} {}/s", format_count(static_cast<std::uint64_t>(examples / seconds)), name);
  if (state.tokens > 0) {
    text += fmt::format("  {} tokens/s",
                        format_count(static_cast<std::uint64_t>(static_cast<double>(state.tokens) / seconds)));
  }
  if (const auto peak = matrix_peak(device); peak && state.flops > 0) {
    text += fmt::format("  {} of peak", format_share(state.flops / seconds / *peak));
  }
  return text;
}

}  // namespace

Trainer::Trainer(const ScheduleConfig& config, const RateSchedule& rates, const Graph& graph, Learner& learner,
                 const Run* run, Comm& comm)
    : config_(config),
      rates_(rates),
      graph_(graph),
      learner_(learner),
      run_(run),
      comm_(comm),
      device_(learner.device()),
      examples_(learner.examples()),
      known_all_(KnownAnswers::of_all_splits(graph)),
      metric_names_(learner.metric_names()),
      sums_(torch::zeros({1 + std::ssize(metric_names_)}, torch::TensorOptions(torch::kFloat64).device(device_))) {
  HASA_CHECK(!graph.triples(Split::train).empty(), data, "the graph has no training triples");
  HASA_ASSERT(config_.batch > 0 && config_.epochs > 0);  // resolved
  HASA_ASSERT((run_ != nullptr) == comm_.first());
  state_.graph = mark_of(graph);
}

std::int64_t Trainer::steps_per_epoch() const { return (examples_.count + config_.batch - 1) / config_.batch; }

bool Trainer::patience_is_over() const {
  return config_.patience > 0 && state_.validations_since_best >= config_.patience;
}

bool Trainer::is_of_earlier_graph(const TrainState& state) const {
  // Checkpoints of older programs do not say; they are older than any move to a grown graph.
  return state.graph == 0 ? !run_->earlier_graphs().empty() : state.graph != mark_of(graph_);
}

void Trainer::begin_on_grown_graph(const OpenBest& open_best) {
  const std::int64_t epoch = state_.epoch, best_epoch = state_.best_epoch;
  state_ = {.epoch = epoch, .best_epoch = best_epoch};
  sums_.zero_();
  if (!open_best || graph_.triples(Split::valid).empty()) return;
  state_.best_mrr = metrics_of(validate(*open_best(), one_process())).mrr;
  log_info("the graph has grown: the best model so far has valid MRR {} on it", format_share(state_.best_mrr));
}

bool Trainer::resume(const OpenBest& open_best) {
  const auto load = [&](const char* name) {
    bool grown = false;
    state_ = load_checkpoint(*run_ / name, checkpoint_tensors(), device_,
                             [&](const TrainState& state) { return grown = is_of_earlier_graph(state); });
    resumed_from_ = *run_ / name;
    if (grown) begin_on_grown_graph(open_best);
    state_.graph = mark_of(graph_);
    learner_.loaded();
    log_info("resuming after epoch {}, step {}", state_.epoch, state_.step_in_epoch);
    return true;
  };
  const bool has_previous = std::filesystem::exists(*run_ / Run::kPrevious);
  if (std::filesystem::exists(*run_ / Run::kLast)) {
    try {
      return load(Run::kLast);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      HASA_CHECK(has_previous, data, "{}\nthere is no previous checkpoint: train again into another --out",
                 error.what());
      load_instead(error.what(), [&] { load(Run::kPrevious); });
      // It must not replace the one that loads.
      std::filesystem::remove(*run_ / Run::kLast);
      return true;
    }
  }
  if (has_previous) return load(Run::kPrevious);
  if (std::filesystem::exists(*run_ / Run::kBest)) {
    log_warning("{} has no checkpoint ({}); training starts from the beginning", run_->folder().string(), Run::kLast);
  }
  return false;
}

void Trainer::share_state() {
  if (comm_.alone()) return;
  static_assert(std::is_trivially_copyable_v<TrainState>);
  torch::Tensor state = torch::from_blob(&state_, {sizeof state_}, torch::kUInt8).clone();
  comm_.broadcast(state, 0);
  std::memcpy(&state_, state.const_data_ptr(), sizeof state_);
  const NamedTensors tensors = checkpoint_tensors();
  for (const NamedTensor& each : tensors) {
    if (each.sharded()) continue;
    const torch::NoGradGuard no_grad;
    torch::Tensor tensor = each.tensor.detach();
    comm_.broadcast(tensor, 0);
  }
  share_shards(tensors);
  GeneratorStates generators = GeneratorStates::of(device_);
  for (torch::Tensor& each : generators.states) comm_.broadcast(each, 0);
  generators.restore();
  if (!comm_.first()) learner_.loaded();
}

void Trainer::share_shards(const NamedTensors& tensors) {
  // Where there is no checkpoint the seed has given everybody its rows.
  if (!comm_.any(!resumed_from_.empty())) return;
  std::optional<SafeTensors> file;
  if (comm_.first()) file.emplace(SafeTensors::open(resumed_from_));
  for (const NamedTensor& each : tensors)
    if (each.sharded()) fill_from_first(each, comm_, file ? &*file : nullptr);
}

TrainEnd Trainer::train(const OnEpoch& on_epoch, const OpenBest& open_best) {
  const StopSignal stop;
  if (comm_.first()) resume(open_best);
  share_state();
  std::optional<MetricsLog> log;
  if (comm_.first()) log.emplace(*run_ / Run::kMetrics, state_.epoch);
  const std::int64_t epochs_left = std::max<std::int64_t>(0, config_.epochs - state_.epoch);
  Progress progress("training", static_cast<std::uint64_t>(examples_.count * epochs_left), examples_.name);
  progress.advance(static_cast<std::uint64_t>(state_.step_in_epoch * config_.batch));
  while (state_.epoch < config_.epochs && !patience_is_over()) {
    progress.set_title(fmt::format("epoch {}/{}", state_.epoch + 1, config_.epochs));
    if (!train_epoch(progress, stop)) {
      save();
      return TrainEnd::interrupted;
    }
    const EpochRecord record = end_epoch(log ? &*log : nullptr);
    const bool last = state_.epoch == config_.epochs || patience_is_over();
    const bool stop_now = comm_.any(on_epoch && comm_.first() && !on_epoch(record)) && !last;
    if (last || stop_now || state_.epoch % config_.checkpoint_every == 0) save();
    if (stop_now) return TrainEnd::interrupted;
  }
  progress.set_title("training");
  HASA_CHECK(run_ == nullptr || std::filesystem::exists(*run_ / Run::kBest), data,
             "{} has lost its best model ({})\ntrain again into another --out", run_->folder().string(), Run::kBest);
  return state_.epoch < config_.epochs ? TrainEnd::early : TrainEnd::finished;
}

bool Trainer::train_epoch(Progress& progress, const StopSignal& stop) {
  const Stopwatch watch;
  const double seconds_before = state_.seconds;
  while (state_.step_in_epoch < steps_per_epoch()) {
    const std::int64_t bytes_before = comm_.bytes();
    const StepReport report = step();
    const std::int64_t count = std::min(config_.batch, examples_.count - state_.step_in_epoch * config_.batch);
    ++state_.step_in_epoch;
    state_.tokens += report.tokens;
    state_.flops += report.flops;
    const bool last = state_.step_in_epoch == steps_per_epoch(), stopping = comm_.any(stop.requested());
    exchanged_bytes_ += comm_.bytes() - bytes_before;
    ++steps_here_;
    if (last || stopping || device_.is_cpu() || state_.step_in_epoch % kStepsBetweenLooks == 0) {
      state_.seconds = seconds_before + watch.seconds();
      look(report, progress);
    }
    progress.advance(static_cast<std::uint64_t>(count));
    if (stopping) name_who_was_asked(stop.requested(), comm_);
    if (stopping && !last) return false;
  }
  return true;
}

StepReport Trainer::step() try {
  const std::int64_t step = state_.epoch * steps_per_epoch() + state_.step_in_epoch;
  const StepReport report = learner_.step(step, rates_.factor(step, config_.epochs * steps_per_epoch()));
  gradient_norm_ = report.gradient_norm;
  add_up(report);
  return report;
} catch (const std::exception& problem) {
  fail_if_out_of_memory(problem, fmt::format("a step of {} {}", config_.batch, examples_.name),
                        learner_.advice().memory);
  throw;
}

void Trainer::add_up(const StepReport& report) {
  HASA_ASSERT(report.metrics.size() == metric_names_.size());
  sums_[0].add_(report.loss.to(torch::kFloat64));
  for (std::size_t i = 0; i < report.metrics.size(); ++i)
    sums_[static_cast<std::int64_t>(i) + 1].add_(report.metrics[i].to(torch::kFloat64));
}

void Trainer::look(const StepReport& report, Progress& progress) {
  const torch::Tensor fetched =
      torch::cat({sums_[0].view(1), gradient_norm_.to(torch::kFloat64).to(device_).view(1)}).cpu();
  const double loss_sum = fetched[0].item<double>(), gradient_norm = fetched[1].item<double>();
  HASA_CHECK(std::isfinite(loss_sum) && std::isfinite(gradient_norm), numeric,
             "the loss is NaN or infinite (epoch {}, step {})\nwhat was kept so far stays; try {}", state_.epoch + 1,
             state_.step_in_epoch, learner_.advice().numbers);
  vanished_ = gradient_norm < kVanishedGradient ? vanished_ + 1 : 0;
  if (vanished_ >= kLooksUntilVanished) {
    const std::string advice = learner_.advice().vanished;
    HASA_CHECK(advice.empty(), numeric,
               "the gradient has vanished (epoch {}, step {})\nthe last checkpoint and the best model stay; try {}",
               state_.epoch + 1, state_.step_in_epoch, advice);
  }
  state_.loss_sum = loss_sum;
  const auto steps = static_cast<double>(state_.step_in_epoch);
  const std::string best = state_.best_mrr < 0 ? "" : "  best valid MRR " + format_share(state_.best_mrr);
  const double examples = steps * static_cast<double>(config_.batch);
  const std::string speed = report.tokens > 0 ? "  " + rates(state_, examples, examples_.name, device_) : "";
  progress.set_note(fmt::format("loss {:.3f}{}{}", state_.loss_sum / steps, best, speed));
}

std::vector<RankedQuery> Trainer::validate(const Scorer& scorer, Comm& comm) const {
  const std::vector<Triple> queries = sampled_queries(graph_, Split::valid, {.queries = config_.validate_queries});
  return rank_together(scorer, queries, known_all_, {}, comm);
}

EpochRecord Trainer::end_epoch(MetricsLog* log) {
  ++state_.epoch;
  const auto steps = static_cast<double>(state_.step_in_epoch);
  EpochRecord record;
  record.epoch = state_.epoch;
  record.loss = state_.loss_sum / steps;
  record.seconds = state_.seconds;
  record.triples_per_second = static_cast<double>(examples_.count) / std::max(1e-9, state_.seconds);
  record.tokens_per_second = static_cast<double>(state_.tokens) / std::max(1e-9, state_.seconds);
  if (const auto peak = matrix_peak(device_); peak && state_.flops > 0) {
    record.share_of_peak = state_.flops / std::max(1e-9, state_.seconds) / *peak;
  }
  record.peak_bytes = device_.is_cpu() ? peak_resident_bytes() : peak_tensor_bytes(device_);
  const torch::Tensor means = sums_.cpu() / steps;
  for (std::size_t i = 0; i < metric_names_.size(); ++i)
    record.metrics.emplace_back(metric_names_[i], means[static_cast<std::int64_t>(i) + 1].item<double>());
  if (!comm_.alone() && steps_here_ > 0) {
    record.metrics.emplace_back("exchanged_bytes",
                                static_cast<double>(exchanged_bytes_) / static_cast<double>(steps_here_));
  }
  exchanged_bytes_ = steps_here_ = 0;
  const bool last = state_.epoch == config_.epochs;
  const AverageInPlace average(learner_);
  if (!graph_.triples(Split::valid).empty() && (last || state_.epoch % config_.validate_every == 0)) {
    record.valid = scores_of(validate(*learner_.scorer(), comm_), graph_.relations());
  }
  keep_if_best(record.valid);
  const std::string valid = record.valid ? "  valid MRR " + format_share(record.valid->all.mrr) : "";
  log_info("epoch {}/{}  loss {:.3f}{}  {}", state_.epoch, config_.epochs, record.loss, valid,
           rates(state_, static_cast<double>(examples_.count), examples_.name, device_));
  if (log != nullptr) log->add(record);
  state_.step_in_epoch = 0;
  state_.tokens = 0;
  state_.loss_sum = state_.seconds = state_.flops = 0;
  sums_.zero_();
  return record;
}

void Trainer::keep_if_best(const std::optional<Scores>& valid) {
  // Without a validation split the latest model counts as the best.
  const bool better = valid ? valid->all.mrr > state_.best_mrr : graph_.triples(Split::valid).empty();
  if (better) {
    state_.best_mrr = valid ? valid->all.mrr : state_.best_mrr;
    state_.best_epoch = state_.epoch;
    state_.validations_since_best = 0;
    if (run_ == nullptr) {
      learner_.help_save_model();
      return;
    }
    run_->put(Run::kBestFolder, [&](const std::filesystem::path& folder) {
      learner_.save_model(folder, {{"epoch", std::to_string(state_.epoch)}});
    });
  } else if (valid) {
    ++state_.validations_since_best;
  }
}

NamedTensors Trainer::checkpoint_tensors() const {
  NamedTensors tensors = learner_.state();
  tensors.push_back({"trainer.sums", sums_});
  return tensors;
}

void Trainer::save() const {
  if (run_ == nullptr) return save_checkpoint({}, checkpoint_tensors(), state_, device_, comm_);
  const std::filesystem::path last = *run_ / Run::kLast;
  // The previous checkpoint stays until the new one is complete, and afterwards too: if the new one is damaged later,
  // it still loads.
  keep_as(*run_ / Run::kPrevious, last);
  save_checkpoint(last, checkpoint_tensors(), state_, device_, comm_);
}

}  // namespace hasa
