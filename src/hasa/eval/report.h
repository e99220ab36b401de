#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/breakdown.h"
#include "hasa/eval/certificate.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/paper_protocol.h"

namespace hasa {

/// The metrics under one of the six rules; the headline is realistic and filtered.
struct RuleMetrics {
  TieRule ties;
  Rivals rivals;
  Metrics metrics;
};

/// Everything an evaluation has to say; what is shown of it depends on where.
struct Report {
  std::string run;
  Split split = Split::test;
  Scores scores;
  MetricIntervals all, tails, heads;
  std::vector<RuleMetrics> rules;       // all six
  std::vector<std::int64_t> histogram;  // [k]: queries with a realistic rank in [2^k, 2^(k+1))
  std::vector<Breakdown> breakdowns;    // empty when not asked for
  std::optional<PaperScores> paper;
  Certificate certificate;
};

struct ReportOptions {
  bool breakdowns = true;
  BootstrapOptions bootstrap;
};

/// All but the names, the paper's protocol and the certificate.
Report make_report(std::span<const RankedQuery> ranked, const Graph& graph, const ReportOptions& options = {});

/// "realistic, filtered"
std::string to_string(TieRule ties);
std::string to_string(Rivals rivals);

/// For a terminal; long breakdowns are cut.
std::string to_table(const Report& report);
/// Complete.
std::string to_json(const Report& report);
/// One page that needs nothing else: charts, tables, certificate; light and dark.
std::string to_html(const Report& report);

}  // namespace hasa
