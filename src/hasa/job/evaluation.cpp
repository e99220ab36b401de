#include "hasa/job/evaluation.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/memory.h"
#include "hasa/base/sha256.h"
#include "hasa/families/fusion/fusion_scorer.h"
#include "hasa/families/fusion/parts_worth.h"
#include "hasa/job/run_calibration.h"
#include "hasa/job/trained_run.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// Code that is paged in, buffers of products, stacks of threads.
constexpr std::int64_t kOfTheProgram = std::int64_t{96} << 20;
/// What is kept of a query beside its scores: ranks, rows to write, groups to draw from.
constexpr std::int64_t kOfAQuery = 512;
/// Of scores, while the parts of a fusion are ranked beside it.
constexpr std::int64_t kWorthBytes = std::int64_t{512} << 20;

void check_fits(std::int64_t needed, std::int64_t memory, const std::string& what) {
  HASA_CHECK(memory == 0 || needed <= memory, unavailable, "{} takes about {}, but --memory is {}\ngive it that much",
             what, format_bytes(needed), format_bytes(memory));
}

std::string trained_by(const Run& run) {
  const auto description = nlohmann::json::parse(read_file(run / "run.json"));
  return fmt::format("hasa {} ({})", description.value("hasa", "?"), description.value("commit", "?"));
}

/// On the CPU a run is refused before it is opened. A GPU's allocator keeps to a cap by itself, and is believed.
TrainedRun open_within(const Run& run, const RunConfig& config, const std::string& graph_folder,
                       const torch::Device& device, std::int64_t memory) {
  const std::string place = graph_folder.empty() ? config.graph : graph_folder,
                    what = "opening " + run.folder().string();
  std::error_code ignored;
  if (memory > 0 && device.is_cpu() && fs::exists(place, ignored))
    check_fits(resident_bytes() + kOfTheProgram + opening_bytes(run, config, Graph::open(place)), memory, what);
  if (memory > 0) cap_device_bytes(device, memory);
  try {
    return open_trained(run, graph_folder, device.str());
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

}  // namespace

EvaluatedRun open_for_evaluation(const std::string& folder, const std::string& graph, const std::string& device_name,
                                 std::int64_t memory) {
  const Run run = Run::open(folder);
  const RunConfig config = config_of(run);
  const torch::Device device = parse_device(device_name.empty() ? config.device : device_name);
  TrainedRun trained = open_within(run, config, graph, device, memory);
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

std::optional<ReportedCalibration> reported_calibration(const EvaluatedRun& run, std::span<const TopAnswers> top,
                                                        const RankingOptions& ranking) {
  const auto calibration = calibration_of(run.run, *run.graph, *run.scorer, ranking);
  if (!calibration) return std::nullopt;
  return ReportedCalibration{calibration->words(), reliability_of(*calibration, top),
                             reliability_of(*calibration, top, 1)};
}

std::int64_t peak_memory(const torch::Device& device) {
  return device.is_cuda() ? peak_device_bytes(device) : peak_resident_bytes();
}

Report report_on(const EvaluatedRun& run, std::span<const RankedQuery> ranked, const Circumstances& circumstances,
                 bool breakdowns) {
  ReportOptions wanted;
  wanted.breakdowns = breakdowns;
  Report report = make_report(ranked, *run.graph, wanted);
  if (const auto* fusion = dynamic_cast<const FusionScorer*>(run.scorer.get()); breakdowns && fusion != nullptr) {
    for (Breakdown& each : parts_worth(*fusion, *run.graph, circumstances.split, wanted.bootstrap, kWorthBytes))
      report.breakdowns.push_back(std::move(each));
  }
  report.run = circumstances.name;
  report.graph = run.graph_name;
  report.split = circumstances.split;
  const torch::Device device = run.scorer->device();
  report.certificate = certify(run.facts, *run.graph,
                               {.split = circumstances.split,
                                .queries = static_cast<std::int64_t>(ranked.size()),
                                .device = device,
                                .seconds = circumstances.watch.seconds(),
                                .memory_cap = circumstances.memory,
                                .peak_memory = peak_memory(device),
                                .bootstrap = wanted.bootstrap});
  return report;
}

Split parse_split(const std::string& name) { return name == "valid" ? Split::valid : Split::test; }

}  // namespace hasa
