#include "hasa/job/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/stop_signal.h"
#include "hasa/eval/metrics.h"
#include "hasa/job/train_run.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournal = "search.jsonl";
constexpr const char* kBestConfig = "best.yaml";

/// Earlier trials, and those of this call.
class Journal {
 public:
  explicit Journal(fs::path file) : file_(std::move(file)) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (entry.is_discarded()) continue;  // the last line of a process that was killed
      trials_.push_back(trial_in(entry));
    }
  }
  std::optional<Trial> find(const Trial& trial) const {
    for (const Trial& each : trials_) {
      if (each.number != trial.number || each.epochs != trial.epochs) continue;
      HASA_CHECK(each.assignments == trial.assignments, config,
                 "{} belongs to another search: its trial {} has other options\nchoose another --out", file_.string(),
                 trial.number);
      return each;
    }
    return std::nullopt;
  }
  void add(const Trial& trial) {
    trials_.push_back(trial);
    nlohmann::ordered_json entry{
        {"trial", trial.number}, {"epochs", trial.epochs}, {"mrr", nullptr}, {"options", trial.assignments}};
    if (trial.mrr) entry["mrr"] = *trial.mrr;
    if (!trial.mrr) entry["error"] = trial.error;
    std::ofstream out(file_, std::ios::app);
    out << entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
    HASA_CHECK(out.good(), io, "cannot write to {}", file_.string());
  }

 private:
  static Trial trial_in(const nlohmann::json& entry) {
    Trial trial{entry.at("trial"), entry.at("epochs"), entry.at("options"), std::nullopt, entry.value("error", "")};
    if (entry.at("mrr").is_number()) trial.mrr = entry.at("mrr").get<double>();
    return trial;
  }

  fs::path file_;
  std::vector<Trial> trials_;
};

/// Fills in the trial's MRR, or its error. Returns false if interrupted by a signal.
bool train(RunConfig config, Trial& trial, const fs::path& out) {
  for (const std::string& each : trial.assignments) apply_assignment(fields_of(config), each);
  if (trial.epochs > 0) apply_assignment(fields_of(config), fmt::format("train.epochs={}", trial.epochs));
  try {
    const TrainedOutcome outcome = train_run(config, out / trial.name(), /*resume=*/true);
    if (outcome.end == TrainEnd::interrupted) return false;
    trial.mrr = std::max(0.0, outcome.state.best_mrr);
  } catch (const Stopped& stopped) {
    log_info("{}", stopped.what());
    return false;
  } catch (const Error& error) {
    // A learning rate that is too large or a model that does not fit is a result, too.
    if (error.kind() != ErrorKind::numeric && error.kind() != ErrorKind::unavailable) throw;
    trial.mrr.reset();
    trial.error = error.what();
    log_warning("{} failed: {}", trial.name(), trial.error);
  }
  return true;
}

void sort_best_first(std::vector<Trial>& trials) {
  // A trial without an MRR ranks below any that has one.
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.mrr > b.mrr; });
}

/// The trials promoted to the next rung.
void keep_best(std::vector<Trial>& trials, std::int64_t halving) {
  trials.resize(std::max<std::size_t>(1, trials.size() / static_cast<std::size_t>(halving)));
  std::erase_if(trials, [](const Trial& trial) { return !trial.mrr; });
}

std::vector<Trial> draw_trials(const SearchSpace& space, const SearchOptions& options) {
  std::vector<Trial> trials;
  for (auto& assignments : space.distinct_draws(static_cast<std::size_t>(options.trials), options.seed)) {
    trials.push_back({.number = std::ssize(trials) + 1, .assignments = std::move(assignments)});
  }
  if (std::ssize(trials) < options.trials) {
    log_info("the marked options have only {} combinations: {} trials instead of {}", trials.size(), trials.size(),
             options.trials);
  }
  return trials;
}

/// 0 if each trial has its own: they are marked, or chosen by the size of the graph.
std::int64_t epochs_of_all(const RunConfig& config, const SearchSpace& space, const SearchOptions& options) {
  const ScheduleConfig* schedule = schedule_of(config);
  HASA_CHECK(schedule != nullptr, config, "a model that is fitted in one pass has no epochs to halve");
  const std::vector<std::string>& keys = space.keys();
  const bool marked = std::find(keys.begin(), keys.end(), "train.epochs") != keys.end();
  const std::int64_t epochs = marked ? 0 : schedule->epochs;
  HASA_CHECK(epochs > 0 || options.halving < 2, config,
             "halving trains for fractions of train.epochs, which {}\nset train.epochs to a number, or omit --halving",
             marked ? "is marked to be tuned" : "is not set");
  return epochs;
}

}  // namespace

std::string Trial::name() const {
  return epochs > 0 ? fmt::format("trial-{:03}-e{}", number, epochs) : fmt::format("trial-{:03}", number);
}

std::vector<std::int64_t> rungs(std::int64_t epochs, const SearchOptions& options) {
  std::vector<std::int64_t> result{epochs};
  if (options.halving < 2) return result;
  for (std::int64_t left = options.trials; left >= options.halving; left /= options.halving) {
    const std::int64_t shorter = result.front() / options.halving;
    if (shorter < std::max<std::int64_t>(1, options.least_epochs)) break;
    result.insert(result.begin(), shorter);
  }
  return result;
}

SearchOutcome search(const RunConfig& config, const SearchSpace& space, const SearchOptions& options,
                     const fs::path& out) {
  HASA_CHECK(!space.keys().empty(), config,
             "no option is marked to be tuned: write a value as {{range: [0, 0.5]}}, {{log_range: [1e-4, 1e-1]}} or "
             "{{choices: [128, 256]}}");
  const std::int64_t all_epochs = epochs_of_all(config, space, options);
  RunConfig scratch = config;
  space.check(fields_of(scratch));
  refuse_dangling_link(out);
  fs::create_directories(out);
  Journal journal(out / kJournal);
  std::vector<Trial> trials = draw_trials(space, options);
  for (const std::int64_t epochs : rungs(all_epochs, options)) {
    for (Trial& trial : trials) {
      trial.epochs = epochs;
      if (const auto before = journal.find(trial)) {
        trial = *before;
        continue;
      }
      log_info("{}: {}", trial.name(), fmt::join(trial.assignments, " "));
      if (!train(config, trial, out)) return {trials, true};
      journal.add(trial);
    }
    sort_best_first(trials);
    HASA_CHECK(trials.front().mrr, numeric, "every trial failed, {} with: {}\nall errors are in {}",
               trials.front().name(), trials.front().error, (out / kJournal).string());
    if (epochs < all_epochs) keep_best(trials, options.halving);
  }
  RunConfig best = config;
  for (const std::string& each : trials.front().assignments) apply_assignment(fields_of(best), each);
  write_file(out / kBestConfig, to_yaml(fields_of(best)));
  return {trials, false};
}

std::string to_table(const std::vector<Trial>& trials) {
  if (trials.empty()) return "";
  std::string text = fmt::format("{:<16}{:>10}", "trial", "valid MRR");
  const auto key = [](const std::string& assignment) { return assignment.substr(0, assignment.find('=')); };
  const auto value = [](const std::string& assignment) { return assignment.substr(assignment.find('=') + 1); };
  const auto width = [&](const std::string& assignment) { return std::max<std::size_t>(key(assignment).size(), 10); };
  for (const std::string& each : trials.front().assignments) text += fmt::format("  {:>{}}", key(each), width(each));
  text += "\n";
  std::string errors;
  for (const Trial& trial : trials) {
    text += fmt::format("{:<16}{:>10}", trial.name(), trial.mrr ? format_share(*trial.mrr) : "failed");
    for (const std::string& each : trial.assignments) text += fmt::format("  {:>{}}", value(each), width(each));
    text += "\n";
    if (!trial.mrr)
      errors += fmt::format("{} failed: {}\n", trial.name(), trial.error.substr(0, trial.error.find('\n')));
  }
  text += errors;
  return text;
}

}  // namespace hasa
