#include "hasa/job/run_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/version.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kCalibrationFormat = 1;
/// Queries to use: more would not improve the probabilities.
constexpr std::int64_t kMostQueries = 20'000, kFewestQueries = 1'000;
/// Total number of scores; on a large graph fewer queries are used.
constexpr std::int64_t kMostScores = 2'000'000'000;
constexpr double kCheapSeconds = 120;

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string hash_of_text(const std::string& text) { return hex(hash_bytes(text.data(), text.size())); }

void write_calibration(const Run& run, const Calibration& calibration) {
  Json json{{"format", kCalibrationFormat},
            {"hasa", version()},
            {"model", model_hash(run)},
            {"calibration", Json::parse(calibration.to_json())}};
  json["checksum"] = hash_of_text(json.dump());
  try {
    write_file(run / kCalibrationFile, json.dump(2) + "\n");
  } catch (const Error& error) {
    log_info("probabilities are used but cannot be stored: {}", error.what());
  }
}

std::optional<Calibration> calibration_in(const std::string& text, const Run& run) {
  Json json = Json::parse(text);
  const Json checksum = json.at("checksum");
  json.erase("checksum");
  HASA_CHECK(checksum == hash_of_text(json.dump()), data, "its checksum does not match");
  if (json.at("format") != kCalibrationFormat || json.at("model") != model_hash(run)) return std::nullopt;
  return Calibration::from_json(json.at("calibration").dump());
}

/// How many validation queries to score.
std::int64_t queries_to_ask(const Graph& graph) {
  return std::clamp(kMostScores / std::max<std::int64_t>(1, graph.entities()), kFewestQueries, kMostQueries);
}

}  // namespace

std::string model_hash(const Run& run) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(run / Run::kBestFolder)) {
    if (entry.is_regular_file() && !is_temporary(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) all += fmt::format("{} {}\n", file.filename().string(), hex(hash_of_file(file)));
  return hash_of_text(all);
}

std::optional<Calibration> read_calibration(const Run& run) {
  const fs::path file = run / kCalibrationFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  try {
    return calibration_in(read_file(file), run);
  } catch (const std::exception& problem) {
    log_warning("{} is damaged and ignored: {}\nhasa eval recreates it", file.string(), problem.what());
    return std::nullopt;
  }
}

std::optional<Calibration> make_calibration(const Run& run, const Graph& graph, const Scorer& scorer,
                                            CalibrationCost cost, const RankingOptions& ranking) {
  const std::vector<Triple> queries =
      distinct_queries(graph, Split::valid, static_cast<std::size_t>(queries_to_ask(graph)));
  const double seconds = scorer.cost().seconds_per_query * static_cast<double>(queries.size());
  if (cost == CalibrationCost::cheap && seconds > kCheapSeconds) {
    log_info("no probabilities: calibrating this model takes about {:.0f} minutes; hasa eval --calibrate does it",
             seconds / 60);
    return std::nullopt;
  }
  TopAnswersOf gathered(graph, Split::valid, scorer.device());
  RankingOptions options;
  options.budget_bytes = ranking.budget_bytes;
  options.show_progress = ranking.show_progress;
  for_each_scored(scorer, queries, options, [&](const ScoredQueries& part) { gathered.add(part); });
  std::optional<Calibration> made = Calibration::fit(gathered.take());
  if (made) write_calibration(run, *made);
  if (!made)
    log_info(
        "no probabilities: fewer than {} of the validation split's best answers are true, which is too few to fit them",
        Calibration::kFewestTrue);
  return made;
}

std::optional<Calibration> calibration_of(const Run& run, const Graph& graph, const Scorer& scorer,
                                          const RankingOptions& ranking) {
  if (auto stored = read_calibration(run)) return stored;
  return make_calibration(run, graph, scorer, CalibrationCost::cheap, ranking);
}

}  // namespace hasa
