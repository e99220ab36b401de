#include "hasa/job/evaluation.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/file_lock.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/memory.h"
#include "hasa/base/progress_line.h"
#include "hasa/base/sha256.h"
#include "hasa/base/version.h"
#include "hasa/eval/rank_journal.h"
#include "hasa/eval/rank_together.h"
#include "hasa/families/fusion/fusion_scorer.h"
#include "hasa/families/fusion/parts_worth.h"
#include "hasa/families/rules/kinds_worth.h"
#include "hasa/job/run_calibration.h"
#include "hasa/job/trained_run.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// Code pages, buffers of matrix products, thread stacks.
constexpr std::int64_t kOfTheProgram = std::int64_t{96} << 20;
/// Memory per query besides its scores: ranks, rows to write, bootstrap groups.
constexpr std::int64_t kOfAQuery = 512;
/// Of scores, while the parts of a fusion are ranked beside it.
constexpr std::int64_t kWorthBytes = std::int64_t{512} << 20;

void check_fits(std::int64_t needed, std::int64_t memory, const std::string& what) {
  HASA_CHECK(memory == 0 || needed <= memory, unavailable, "{} takes about {}, but --memory is {}\nincrease --memory",
             what, format_bytes(needed), format_bytes(memory));
}

std::string trained_by(const Run& run) {
  const auto description = nlohmann::json::parse(read_file(run / "run.json"));
  return fmt::format("hasa {} ({})", description.value("hasa", "?"), description.value("commit", "?"));
}

/// On the CPU a run is refused before it is opened. A GPU's allocator enforces the cap by itself.
TrainedRun open_within(const Run& run, const RunConfig& config, const std::string& graph_folder,
                       const torch::Device& device, std::int64_t memory, Comm& comm) {
  const std::string place = graph_folder.empty() ? config.graph : graph_folder,
                    what = "opening " + run.folder().string();
  std::error_code ignored;
  if (memory > 0 && device.is_cpu() && fs::exists(place, ignored))
    check_fits(resident_bytes() + kOfTheProgram + opening_bytes(run, config, Graph::open(place)), memory, what);
  if (memory > 0) cap_device_bytes(device, memory);
  try {
    return open_trained(run, graph_folder, device.str(), comm);
  } catch (const c10::OutOfMemoryError&) {
    if (memory > 0) check_fits(std::max(memory + 1, opening_bytes(run, config, Graph::open(place))), memory, what);
    throw;
  }
}

RunFacts facts_of(const Run& run, const RunConfig& config) {
  RunFacts facts{.model = facts_of(config), .trained_by = trained_by(run), .seed = config.seed, .weights = {}};
  for (const char* name : {Run::kBest, Run::kBestWords, Run::kTexts}) {
    if (fs::exists(run / name)) facts.weights.emplace_back(name, "sha256:" + sha256_of_file(run / name));
  }
  const auto parts = std::visit([&](const auto& family) { return parts_of(family, run); }, config.family);
  for (const PartFacts& part : parts) facts.weights.emplace_back("of its part " + part.name, "sha256:" + part.sha256);
  return facts;
}

/// What ranks depend on.
std::uint64_t stamp_of(const EvaluatedRun& run, Split split) {
  std::string words = fmt::format("{:016x} {} {} {} {}", run.graph->content_hash(), to_string(split), version(),
                                  commit(), device_name(run.scorer->device()));
  for (const auto& [file, hash] : run.facts.weights) words += fmt::format(" {} {}", file, hash);
  words += read_file(run.run / Run::kConfig);
  return hash_bytes(words.data(), words.size());
}

std::string tokens_a_second(const ScoringCost& cost, double seconds_per_query, const torch::Device& device) {
  if (cost.tokens_per_query == 0) return "";
  const double tokens = cost.tokens_per_query / seconds_per_query;
  std::string words = fmt::format(", {} tokens/s", format_count(static_cast<std::uint64_t>(tokens)));
  if (const auto peak = matrix_peak(device); peak && cost.flops_per_token > 0)
    words += fmt::format(", {} of peak", format_share(tokens * cost.flops_per_token / *peak));
  return words;
}

std::string speed_of(const RankedSplit& split, const torch::Device& device) {
  const auto ranked_now = static_cast<double>(std::ssize(split.ranked) - split.kept);
  if (split.cost.seconds_per_query == 0 || ranked_now < 1) return "";
  const double each = std::max(1e-9, split.seconds / ranked_now);
  return fmt::format("{:.3g} s per query{}", each, tokens_a_second(split.cost, each, device));
}

/// Worth logging if ranking takes a minute or more.
void announce(const EvaluatedRun& run, const ScoringCost& cost, std::int64_t asked, std::int64_t kept,
              const RankJournal& journal) {
  constexpr double kWorthAWord = 60;
  const double seconds = cost.seconds_per_query * static_cast<double>(asked);
  if (kept > 0) log_info("{} queries were ranked before", format_count(static_cast<std::uint64_t>(kept)));
  if (seconds < kWorthAWord) return;
  log_info("ranking {} queries among {} entities takes about {} ({:.3g} s per query{}){}",
           format_count(static_cast<std::uint64_t>(asked)),
           format_count(static_cast<std::uint64_t>(run.graph->entities())), format_duration(seconds),
           cost.seconds_per_query, tokens_a_second(cost, cost.seconds_per_query, run.scorer->device()),
           journal.keeps() ? "; if interrupted, the same command resumes" : "");
}

/// Of several processes rank 0 keeps what all have ranked.
void rank_and_keep(const EvaluatedRun& run, const KnownAnswers& known, Split split, const RankingOptions& options,
                   std::span<const Triple> queries, std::span<const std::size_t> places, RankedSplit& result,
                   Comm& comm) {
  if (!comm.first()) {
    result.ranked = rank_resumably_together(*run.scorer, queries, places, known, options, nullptr, comm);
    return;
  }
  const fs::path file = run.run.folder() / fmt::format("ranks-{}.part", to_string(split));
  const FileLock lock(run.run.folder() / fmt::format("ranks-{}.lock", to_string(split)));
  {
    RankJournal journal(file, stamp_of(run, split), queries.size());
    result.kept = std::count_if(places.begin(), places.end(), [&](std::size_t place) { return journal.has(place); });
    announce(run, result.cost, std::ssize(places) - result.kept, result.kept, journal);
    const Stopwatch watch;
    result.ranked = comm.alone()
                        ? rank_resumably(*run.scorer, queries, places, known, options, journal)
                        : rank_resumably_together(*run.scorer, queries, places, known, options, &journal, comm);
    result.seconds = watch.seconds();
  }
  std::error_code ignored;
  if (places.size() == queries.size()) fs::remove(file, ignored);
}

}  // namespace

EvaluatedRun open_for_evaluation(const std::string& folder, const std::string& graph, const std::string& device_name,
                                 std::int64_t memory, Comm& comm) {
  const Run run = Run::open(folder);
  const RunConfig config = config_of(run);
  const torch::Device device = device_for(device_name.empty() ? config.device : device_name, comm);
  TrainedRun trained = open_within(run, config, graph, device, memory, comm);
  malloc_trim(0);  // what opening needed and gave back
  return {std::move(trained.graph), std::move(trained.scorer), facts_of(run, config),
          fs::path(graph.empty() ? config.graph : graph).filename().string(), run};
}

RankingOptions ranking_within(const EvaluatedRun& run, Split split, std::int64_t memory) {
  const std::size_t triples = run.graph->triples(split).size();
  HASA_CHECK(triples > 0, data, "the {} split of the run's graph has no triples to rank", to_string(split));
  RankingOptions options{.show_progress = true, .on_queries = {}};
  if (memory == 0) return options;
  const torch::Device device = run.scorer->device();
  const std::int64_t of_queries = device.is_cuda() ? 0 : 2 * kOfAQuery * static_cast<std::int64_t>(triples);
  const std::int64_t held =
      (device.is_cuda() ? device_bytes(device) : resident_bytes()) + kOfTheProgram / 2 + of_queries;
  const std::int64_t least = least_ranking_bytes(*run.scorer);
  check_fits(held + least, memory, fmt::format("ranking among {} entities", run.graph->entities()));
  options.budget_bytes = std::min(options.budget_bytes, memory - held);
  return options;
}

Report report_on(const EvaluatedRun& run, std::span<const RankedQuery> ranked, const Circumstances& circumstances,
                 bool breakdowns) {
  return report_on(run, RankedSplit{.ranked = {ranked.begin(), ranked.end()}}, circumstances, breakdowns);
}

std::int64_t peak_memory(const torch::Device& device) {
  return device.is_cuda() ? peak_device_bytes(device) : peak_resident_bytes();
}

RankedSplit rank_run(const EvaluatedRun& run, const KnownAnswers& known, Split split, const QuerySample& sample,
                     const RankingOptions& options, Comm& comm) {
  const std::vector<Triple> queries = queries_of(*run.graph, split);
  const std::vector<std::size_t> places = places_of(sample, queries.size());
  RankedSplit result{.queries = std::ssize(queries), .cost = run.scorer->cost()};
  if (places.size() < queries.size()) result.sample = sample;
  if (comm.any(result.cost.seconds_per_query > 0)) {
    rank_and_keep(run, known, split, options, queries, places, result, comm);
    return result;
  }
  std::vector<Triple> asked;
  for (const std::size_t place : places) asked.push_back(queries[place]);
  const Stopwatch watch;
  result.ranked = rank_together(*run.scorer, asked, known, options, comm);
  result.seconds = watch.seconds();
  return result;
}

Report report_on(const EvaluatedRun& run, const RankedSplit& split, const Circumstances& circumstances,
                 bool breakdowns) {
  const std::vector<RankedQuery>& ranked = split.ranked;
  ReportOptions wanted;
  wanted.breakdowns = breakdowns;
  Report report = make_report(ranked, *run.graph, wanted);
  if (const auto* fusion = dynamic_cast<const FusionScorer*>(run.scorer.get()); breakdowns && fusion != nullptr) {
    for (Breakdown& each : parts_worth(*fusion, *run.graph, circumstances.split, wanted.bootstrap, kWorthBytes))
      report.breakdowns.push_back(std::move(each));
  }
  if (const auto* rules = dynamic_cast<const RulesScorer*>(run.scorer.get()); breakdowns && rules != nullptr) {
    for (Breakdown& each : kinds_worth(*rules, *run.graph, ranked, wanted.bootstrap))
      report.breakdowns.push_back(std::move(each));
  }
  report.run = circumstances.name;
  report.graph = run.graph_name;
  report.split = circumstances.split;
  const torch::Device device = run.scorer->device();
  report.certificate = certify(run.facts, *run.graph,
                               {.split = circumstances.split,
                                .queries = static_cast<std::int64_t>(ranked.size()),
                                .of_queries = split.queries,
                                .sample_seed = split.sample ? split.sample->seed : 0,
                                .hits_at_10 = report.all.hits_at_10,
                                .kept = split.kept,
                                .speed = speed_of(split, device),
                                .device = device,
                                .seconds = circumstances.watch.seconds(),
                                .memory_cap = circumstances.memory,
                                .peak_memory = peak_memory(device),
                                .bootstrap = wanted.bootstrap});
  return report;
}

std::optional<ReportedCalibration> reported_calibration(const EvaluatedRun& run, const std::vector<TopAnswers>& top,
                                                        const RankingOptions& ranking, bool anew) {
  const auto calibration = anew ? make_calibration(run.run, *run.graph, *run.scorer, CalibrationCost::whatever, ranking)
                                : calibration_of(run.run, *run.graph, *run.scorer, ranking);
  if (!calibration) return std::nullopt;
  return ReportedCalibration{calibration->words(), reliability_of(*calibration, top),
                             reliability_of(*calibration, top, 1)};
}

Split parse_split(const std::string& name) { return name == "valid" ? Split::valid : Split::test; }

}  // namespace hasa
