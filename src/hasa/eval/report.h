#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/breakdown.h"
#include "hasa/eval/calibration.h"
#include "hasa/eval/certificate.h"
#include "hasa/eval/example_queries.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/paper_protocol.h"
#include "hasa/eval/training_curve.h"

namespace hasa {

/// The metrics under one of the six rules; the headline is realistic and filtered.
struct RuleMetrics {
  TieRule ties;
  Rivals rivals;
  Metrics metrics;
};

/// A baseline's metrics on the same queries, to compare the result with.
struct Floor {
  std::string name;  // "ranked by plain text similarity"
  Metrics metrics;
  std::vector<Breakdown> breakdowns;  // as in the report; their intervals are not shown
};
Floor make_floor(std::string name, std::span<const RankedQuery> ranked, const Graph& graph);

/// How reliable probabilities are on the ten best answers of each query of the split, answers known before filtered.
struct ReportedCalibration {
  std::string made_by;  // how, in words
  Reliability measured;
  Reliability of_first;  // of only the best answer of each query, where probabilities are high
};

/// Everything an evaluation found; what is shown depends on the output.
struct Report {
  std::string run;
  std::string graph;  // its name for readers, "" where it has none
  Split split = Split::test;
  Scores scores;
  MetricIntervals all, tails, heads;
  std::vector<RuleMetrics> rules;       // all six
  std::vector<std::int64_t> histogram;  // [k]: queries with a realistic rank in [2^k, 2^(k+1))
  std::vector<Breakdown> breakdowns;    // empty if not requested
  std::vector<Group> novelty;           // about unseen entities, about the others; empty if there are no unseen ones
  Metrics chance;
  std::optional<ReportedCalibration> calibration;
  std::optional<PaperScores> paper;
  // Only for the page.
  std::vector<Floor> floors;
  std::vector<TrainingEpoch> training;
  std::vector<ExampleQuery> examples;
  Certificate certificate;
};

struct ReportOptions {
  bool breakdowns = true;
  BootstrapOptions bootstrap;
};

/// Everything except the names, the probabilities, the paper's protocol, the certificate and what is only for the page.
Report make_report(std::span<const RankedQuery> ranked, const Graph& graph, const ReportOptions& options = {});

/// "realistic, filtered"
std::string to_string(TieRule ties);
std::string to_string(Rivals rivals);

/// For a terminal; long breakdowns are truncated.
std::string to_table(const Report& report);
/// Complete.
std::string to_json(const Report& report);
/// One self-contained page (page/page.h): the result in words and
/// compared with baselines, examples, charts of every breakdown, the certificate.
std::string to_html(const Report& report);

}  // namespace hasa
