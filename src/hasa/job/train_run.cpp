#include "hasa/job/train_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/stopwatch.h"
#include "hasa/eval/ranking.h"
#include "hasa/job/grown_run.h"
#include "hasa/job/resolve_schedule.h"
#include "hasa/job/trained_run.h"
#include "hasa/model/language_model.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/out_of_memory.h"
#include "hasa/run/metrics_log.h"

namespace hasa {
namespace {

/// "epochs: 10" of the one against the other's, for a message; "" when they are equal.
std::string first_difference(const std::string& stored, const std::string& wanted) {
  std::istringstream a(stored), b(wanted);
  std::string x, y;
  const auto trimmed = [](const std::string& line) {
    return line.substr(std::min(line.size(), line.find_first_not_of(' ')));
  };
  while (std::getline(a, x) && std::getline(b, y)) {
    if (x != y) return fmt::format("\"{}\" there, \"{}\" now", trimmed(x), trimmed(y));
  }
  return "";
}

/// Where the graph and the language model lie, which device is used and how much of its memory, may differ from place
/// to place: those of the stored config become `config`'s.
RunConfig stored_config(const Run& run, const RunConfig& config) {
  RunConfig stored = config_of(run);
  stored.graph = config.graph;
  stored.device = config.device;
  if (LanguageModelConfig* model = language_model_of(stored)) {
    if (const LanguageModelConfig* here = language_model_of(config)) model->path = here->path;
  }
  std::visit(
      [&](auto& family) {
        using F = std::decay_t<decltype(family)>;
        if constexpr (requires { family.memory_limit; }) {
          if (const F* same = std::get_if<F>(&config.family)) family.memory_limit = same->memory_limit;
        }
      },
      stored.family);
  return stored;
}

void set_epochs(RunConfig& config, std::int64_t epochs) {
  apply_assignment(fields_of(config), fmt::format("train.epochs={}", epochs));
}

/// More epochs than the run was started with are what the user asked for now, and its config says so from here on.
void extend(Run& run, const RunConfig& config) {
  RunConfig stored = config_of(run);
  const ScheduleConfig *before = schedule_of(stored), *now = schedule_of(config);
  if (before == nullptr || before->epochs == now->epochs) return;
  log_info("extended from {} to {} epochs; a decaying learning rate rises again at first, and reaches 0 at the new end",
           before->epochs, now->epochs);
  set_epochs(stored, now->epochs);
  run.replace_config(to_yaml(fields_of(stored)));
}

/// A run that this process writes to.
struct Started {
  Run run;
  std::unique_ptr<RunLock> lock;
};

Started start_run(const RunConfig& config, const Graph& graph, const std::filesystem::path& out) {
  RunConfig copy = config;
  Run run = Run::create(out, to_yaml(fields_of(copy)), graph);
  auto lock = std::make_unique<RunLock>(out);
  return {std::move(run), std::move(lock)};
}

Started open_to_resume(const RunConfig& config, const Graph& graph, const std::filesystem::path& out) {
  auto lock = std::make_unique<RunLock>(out);  // first: who held it before may have given the run more epochs
  Run run = Run::open(out);
  const std::string difference = training_difference(run, config);
  HASA_CHECK(difference.empty(), config,
             "{} was started with another config: {}\nuse its config.yaml, or choose another --out", out.string(),
             difference);
  run.check_graph(graph);
  run.upgrade();
  extend(run, config);
  return {std::move(run), std::move(lock)};
}

template <class F>
TrainedOutcome train_in(const Run* run, const F& family, Learner& learner, const TrainContext& context,
                        const OnEpoch& on_epoch) {
  const Graph& graph = context.graph;
  Trainer trainer(family.train, family.optimiser, graph, learner, run, context.comm);
  log_info("training on {}{}: {} entities, {} training triples, batches of {}",
           context.comm.alone() ? "" : fmt::format("{} x ", context.comm.size()), device_name(learner.device()),
           format_count(static_cast<std::uint64_t>(graph.entities())), format_count(graph.triples(Split::train).size()),
           family.train.batch);
  try {
    OpenBest open_best;
    if (run != nullptr && run->has_model())
      open_best = [&] { return open_scorer_of(*run, graph, context.graph_folder, context.device); };
    const TrainEnd end = trainer.train(on_epoch, open_best);
    return {end, trainer.state()};
  } catch (const Error& error) {
    const bool kept = run != nullptr &&
                      (std::filesystem::exists(*run / Run::kLast) || std::filesystem::exists(*run / Run::kPrevious));
    if (error.kind() == ErrorKind::unavailable && kept && !context.comm.alone())
      fail(ErrorKind::unavailable,
           "{}\n{} has the last checkpoint: resume with hasa train --resume, in any number of processes", error.what(),
           run->folder().string());
    if (error.kind() != ErrorKind::io || !kept) throw;
    fail(ErrorKind::io, "{}\nthe last checkpoint is kept: once there is space, continue with --resume", error.what());
  }
}

/// A model's metrics on the validation split, if there is one.
std::optional<Scores> validated(const Run& run, const TrainContext& context) {
  const Graph& graph = context.graph;
  if (graph.triples(Split::valid).empty()) return std::nullopt;
  const auto scorer = open_scorer_of(run, graph, context.graph_folder, context.device);
  return scores_of(rank_split(*scorer, graph, KnownAnswers::of_all_splits(graph), Split::valid), graph.relations());
}

/// Fits and reports the outcome; a family that does not validate itself is validated.
template <class F>
FitOutcome fit_and_validate(const Run& run, const F& family, const TrainContext& context) {
  if constexpr (std::is_void_v<decltype(fit(family, context, run))>) {
    fit(family, context, run);
    return {.validation = validated(run, context)};
  } else {
    return fit(family, context, run);
  }
}

/// Without gradient steps, a run with a model is complete, unless its graph has grown. Its metrics are logged like an
/// epoch's.
template <class F>
TrainedOutcome fit_in(Run& run, const F& family, const TrainContext& context, const OnEpoch& on_epoch) {
  TrainedOutcome outcome{TrainEnd::finished, {}};
  const bool grown = has_grown(context.graph, run);
  if (run.has_model() && !grown) return outcome;
  const Stopwatch watch;
  const FitOutcome fitted = fit_and_validate(run, family, context);
  if (!fitted.finished) return {TrainEnd::interrupted, {}};
  if (grown) move_run(run, context.graph, context.graph_folder.string());
  const EpochRecord record{.epoch = 1, .seconds = watch.seconds(), .metrics = {}, .valid = fitted.validation};
  MetricsLog(run / Run::kMetrics, 0).add(record);
  if (on_epoch) on_epoch(record);
  if (fitted.validation) outcome.state.best_mrr = fitted.validation->all.mrr;
  outcome.state.epoch = outcome.state.best_epoch = 1;
  return outcome;
}

template <class F>
TrainedOutcome train_family(const RunConfig& config, const F& family, TrainContext context,
                            const std::filesystem::path& out, bool resume, const OnEpoch& on_epoch) {
  if constexpr (requires { F::kSeveralProcesses; }) {
    if (!context.comm.first()) return train_in(nullptr, family, *make_learner(family, context), context, nullptr);
  } else {
    HASA_CHECK(context.comm.alone(), config,
               "model.type={} is trained by one process alone, and this is one of {}\nstart one process", F::kTag,
               context.comm.size());
  }
  std::optional<Started> started;
  if (resume) {
    started.emplace(open_to_resume(config, context.graph, out));
    context.run = &started->run;
  }
  if constexpr (requires { make_learner(family, context); }) {
    const bool grown = started && has_grown(context.graph, started->run);
    if (grown) check_epochs_left(started->run, family.train.epochs);
    // Errors in options or texts are thrown before the folder is created, or moved to another graph.
    const std::unique_ptr<Learner> learner = make_learner(family, context);
    if (!started) started.emplace(start_run(config, context.graph, out));
    if (grown) move_run(started->run, context.graph, config.graph);
    if constexpr (requires { complete_run(family, context, started->run); })
      complete_run(family, context, started->run);
    return train_in(&started->run, family, *learner, context, on_epoch);
  } else {
    if (!started) started.emplace(start_run(config, context.graph, out));
    if constexpr (requires { complete_run(family, context, started->run); })
      complete_run(family, context, started->run);
    return fit_in(started->run, family, context, on_epoch);
  }
}

/// A part of `whole`: its config file, with the same graph, device and seed.
/// "{parts}" in the path of its language model is the folder of the parts.
bool train_part(const RunConfig& whole, const Graph& graph, const std::filesystem::path& file,
                const std::filesystem::path& out) {
  constexpr std::string_view kParts = "{parts}";
  RunConfig part;
  apply_yaml(fields_of(part), read_file(file), file.string());
  part.graph = whole.graph;
  part.device = whole.device;
  part.seed = whole.seed;
  if (LanguageModelConfig* model = language_model_of(part); model != nullptr && model->path.starts_with(kParts))
    model->path.replace(0, kParts.size(), std::filesystem::absolute(out).parent_path().string());
  if (stays_as_trained(part, graph, out)) return true;
  return train_run(part, out, /*resume=*/true).end != TrainEnd::interrupted;
}

/// The config, with the paths of its parts made absolute: relative ones would mean something else elsewhere.
void make_parts_absolute(RunConfig& config) {
  const auto make_absolute = [](std::string& path) {
    if (!path.empty()) path = std::filesystem::absolute(path).lexically_normal().string();
  };
  std::visit(
      [&](auto& family) {
        if constexpr (requires { family.model.parts; }) std::ranges::for_each(family.model.parts, make_absolute);
        if constexpr (requires { family.model.run; }) make_absolute(family.model.run);
      },
      config.family);
}

/// Everybody's config becomes rank 0's.
void share_config(RunConfig& config, Comm& comm) {
  if (comm.alone()) return;
  const std::string yaml = comm.broadcast(comm.first() ? to_yaml(fields_of(config)) : "");
  if (comm.first()) return;
  config = {};
  apply_yaml(fields_of(config), yaml, "the config of rank 0");
}

void check_same_graph(const Graph& graph, const RunConfig& config, Comm& comm) {
  const std::string hash = fmt::format("{:016x}", graph.content_hash());
  HASA_CHECK(comm.broadcast(hash) == hash, data, "{} here is not the graph that rank 0 has there\nimport it anew",
             config.graph);
}

/// What is asked of the folder before anything is made; whether a run there is continued.
bool look_at_folder(RunConfig& config, const std::filesystem::path& out, bool resume, const Graph& graph) {
  const bool taken = Run::is_taken(out);
  HASA_CHECK(resume || !taken, config, "{} holds a run already\ncontinue it with --resume, or choose another --out",
             out.string());
  if (taken) return true;
  warn_of_short_run(config, graph);
  if (LanguageModelConfig* model = language_model_of(config)) model->path = find_language_model(model->path).string();
  return false;
}

}  // namespace

std::string training_difference(const Run& run, const RunConfig& config) {
  RunConfig wanted = config, stored = stored_config(run, config);
  const ScheduleConfig *before = schedule_of(stored), *now = schedule_of(wanted);
  if (before != nullptr && now != nullptr && now->epochs > before->epochs) set_epochs(stored, now->epochs);
  return first_difference(to_yaml(fields_of(stored)), to_yaml(fields_of(wanted)));
}

TrainedOutcome train_run(RunConfig config, const std::filesystem::path& out, bool resume, const OnEpoch& on_epoch,
                         Comm& comm) {
  HASA_CHECK(!comm.first() || !config.graph.empty(), config,
             "option graph is not set: give the folder that hasa import wrote");
  // Relative paths would mean something else from another folder.
  if (comm.first()) config.graph = std::filesystem::absolute(config.graph).lexically_normal().string();
  make_parts_absolute(config);
  share_config(config, comm);
  const torch::Device device = device_for(config.device, comm);
  check_options(config, device);
  const Graph graph = Graph::open(config.graph);
  HASA_CHECK(!graph.triples(Split::train).empty(), data, "{} has no training triples", config.graph);
  check_same_graph(graph, config, comm);
  resolve_schedule(config, graph);
  const bool go_on = comm.first() && look_at_folder(config, out, resume, graph);
  share_config(config, comm);
  const TrainContext context{
      .graph = graph,
      .graph_folder = config.graph,
      .device = device,
      .seed = config.seed,
      .comm = comm,
      .open_run = [&](const auto& run) { return open_scorer_of(Run::open(run), graph, config.graph, device); },
      .train_run = [&](const auto& file, const auto& folder) { return train_part(config, graph, file, folder); }};
  try {
    return std::visit([&](const auto& family) { return train_family(config, family, context, out, go_on, on_epoch); },
                      config.family);
  } catch (const std::exception& problem) {
    fail_if_out_of_memory(problem, fmt::format("training {}", out.string()), "a smaller model.dim or train.batch");
    throw;
  }
}

}  // namespace hasa
