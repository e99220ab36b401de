#include "hasa/train/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/eval/metrics.h"
#include "hasa/train/train_run.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournal = "search.jsonl";
constexpr const char* kBestConfig = "best.yaml";

/// The trials that ended before, and those that end now.
class Journal {
 public:
  explicit Journal(fs::path file) : file_(std::move(file)) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (entry.is_discarded()) continue;  // the last line of a process that was killed
      trials_.push_back({entry.at("trial"), entry.at("epochs"), entry.at("options"), entry.at("mrr")});
    }
  }
  std::optional<Trial> find(const Trial& trial) const {
    for (const Trial& each : trials_) {
      if (each.number != trial.number || each.epochs != trial.epochs) continue;
      HASA_CHECK(each.assignments == trial.assignments, config,
                 "{} was written by another search: its trial {} has other options\nchoose another --out",
                 file_.string(), trial.number);
      return each;
    }
    return std::nullopt;
  }
  void add(const Trial& trial) {
    trials_.push_back(trial);
    std::ofstream out(file_, std::ios::app);
    out << nlohmann::ordered_json{{"trial", trial.number},
                                  {"epochs", trial.epochs},
                                  {"mrr", trial.mrr},
                                  {"options", trial.assignments}}
               .dump()
        << std::endl;
    HASA_CHECK(out.good(), io, "cannot write to {}", file_.string());
  }

 private:
  fs::path file_;
  std::vector<Trial> trials_;
};

/// nullopt: a signal asked to stop.
std::optional<double> trained_mrr(TrainConfig config, const Trial& trial, const fs::path& out) {
  for (const std::string& each : trial.assignments) apply_assignment(fields_of(config), each);
  config.train.epochs = trial.epochs;
  try {
    const TrainedOutcome outcome = train_run(config, out / trial.name(), /*resume=*/true);
    if (outcome.end == TrainEnd::interrupted) return std::nullopt;
    return std::max(0.0, outcome.state.best_mrr);
  } catch (const Error& error) {
    // A rate that is too great or a model that does not fit is a result, too.
    if (error.kind() != ErrorKind::numeric && error.kind() != ErrorKind::unavailable) throw;
    log_warning("{} failed: {}", trial.name(), error.what());
    return 0;
  }
}

void sort_best_first(std::vector<Trial>& trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.mrr > b.mrr; });
}

}  // namespace

std::string Trial::name() const { return fmt::format("trial-{:03}-e{}", number, epochs); }

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

SearchOutcome search(const TrainConfig& config, const SearchSpace& space, const SearchOptions& options,
                     const fs::path& out) {
  HASA_CHECK(!space.keys().empty(), config,
             "nothing is marked to be searched: write a value as {{range: [0, 0.5]}}, {{log_range: [1e-4, 1e-1]}} or "
             "{{choices: [128, 256]}}");
  fs::create_directories(out);
  Journal journal(out / kJournal);
  std::vector<Trial> trials;
  for (std::int64_t number = 1; number <= options.trials; ++number) {
    Rng rng(options.seed, "trial", static_cast<std::uint64_t>(number));
    trials.push_back({number, 0, space.draw(rng), 0});
  }
  for (const std::int64_t epochs : rungs(config.train.epochs, options)) {
    for (Trial& trial : trials) {
      trial.epochs = epochs;
      if (const auto before = journal.find(trial)) {
        trial.mrr = before->mrr;
        continue;
      }
      log_info("{}: {}", trial.name(), fmt::join(trial.assignments, " "));
      const auto mrr = trained_mrr(config, trial, out);
      if (!mrr) return {trials, true};
      trial.mrr = *mrr;
      journal.add(trial);
    }
    sort_best_first(trials);
    if (epochs < config.train.epochs)
      trials.resize(std::max<std::size_t>(1, trials.size() / static_cast<std::size_t>(options.halving)));
  }
  TrainConfig best = config;
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
  for (const Trial& trial : trials) {
    text += fmt::format("{:<16}{:>10}", trial.name(), format_share(trial.mrr));
    for (const std::string& each : trial.assignments) text += fmt::format("  {:>{}}", value(each), width(each));
    text += "\n";
  }
  return text;
}

}  // namespace hasa
