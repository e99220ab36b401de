#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/shown_text.h"
#include "hasa/eval/training_curve.h"
#include "hasa/job/evaluation.h"
#include "hasa/study/report_page.h"
#include "output.h"

namespace hasa {
namespace {

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out, split = "test", device;
};

Report evaluated(const std::string& folder, const ReportArguments& options) {
  const Stopwatch watch;
  const EvaluatedRun run = open_for_evaluation(folder, /*graph=*/"", options.device, /*memory=*/0);
  const Split split = parse_split(options.split);
  TopAnswersOf top(*run.graph, split, run.scorer->device());
  RankingOptions ranking = ranking_within(run, split, /*memory=*/0);
  ranking.on_ranked = [&](const ScoredQueries& part) { top.add(part); };
  const RankedSplit ranked = rank_run(run, KnownAnswers::of_all_splits(*run.graph), split, {}, ranking);
  Report report = report_on(run, ranked, {folder, split, watch, /*memory=*/0}, /*breakdowns=*/false);
  if (ranked.kept == 0) report.calibration = reported_calibration(run, top.take(), ranking, /*anew=*/false);
  report.training = read_training_curve(run.run / Run::kMetrics);
  return report;
}

void bind_report(const ReportArguments& options) {
  BoundReport report;
  for (const std::string& folder : options.folders) {
    if (Run::is_run(folder)) {
      report.runs.push_back(evaluated(folder, options));
      continue;
    }
    auto studies = read_studies(folder);
    HASA_CHECK(!studies.empty(), data,
               "{} is neither a run nor a folder of finished studies\nhasa train makes the "
               "one, hasa study the other",
               shown(folder));
    std::move(studies.begin(), studies.end(), std::back_inserter(report.studies));
  }
  write_file(options.out, to_html(report));
  if (!report.studies.empty()) print(claims_words(report.studies) + "\n");
}

}  // namespace

void add_report(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("report", "bind runs and studies into one page that opens without a network");
  const auto options = std::make_shared<ReportArguments>();
  command
      ->add_option("folder", options->folders,
                   "runs, and folders written by hasa study: that of one study, or that of all")
      ->required();
  command->add_option("--out", options->out, "the page, an HTML file")->required();
  command->add_option("--split", options->split, "which triples of the runs are ranked")
      ->check(CLI::IsMember({"valid", "test"}))
      ->capture_default_str();
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is each run's");
  command->callback([options] { bind_report(*options); });
}

}  // namespace hasa
