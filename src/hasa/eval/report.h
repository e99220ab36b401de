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

/// What a simpler way comes to on the same queries: a floor that the result is to be seen against.
struct Floor {
  std::string name;  // "ranked by plain text similarity"
  Metrics metrics;
  std::vector<Breakdown> breakdowns;  // as the report's own; nobody shows their intervals
};
Floor make_floor(std::string name, std::span<const RankedQuery> ranked, const Graph& graph);

/// How probabilities do on the ten best answers of each query of the split, what was known before left out.
struct ReportedCalibration {
  std::string made_by;  // how, in words
  Reliability measured;
};

/// Everything an evaluation has to say; what is shown of it depends on where.
struct Report {
  std::string run;
  std::string graph;  // its name for readers, "" where it has none
  Split split = Split::test;
  Scores scores;
  MetricIntervals all, tails, heads;
  std::vector<RuleMetrics> rules;       // all six
  std::vector<std::int64_t> histogram;  // [k]: queries with a realistic rank in [2^k, 2^(k+1))
  std::vector<Breakdown> breakdowns;    // empty when not asked for
  std::vector<Group> novelty;           // about unseen entities, about the others; empty where there are none unseen
  Metrics chance;
  std::optional<ReportedCalibration> calibration;
  std::optional<PaperScores> paper;
  // For the page alone.
  std::vector<Floor> floors;
  std::vector<TrainingEpoch> training;
  std::vector<ExampleQuery> examples;
  Certificate certificate;
};

struct ReportOptions {
  bool breakdowns = true;
  BootstrapOptions bootstrap;
};

/// All but the names, the probabilities, the paper's protocol, the certificate and what is for the page alone.
Report make_report(std::span<const RankedQuery> ranked, const Graph& graph, const ReportOptions& options = {});

/// "realistic, filtered"
std::string to_string(TieRule ties);
std::string to_string(Rivals rivals);

/// For a terminal; long breakdowns are cut.
std::string to_table(const Report& report);
/// Complete.
std::string to_json(const Report& report);
/// One page that needs nothing else (page/page.h): the result in words and beside floors, examples, charts of every
/// breakdown, the certificate.
std::string to_html(const Report& report);

}  // namespace hasa
