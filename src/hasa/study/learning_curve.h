#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/study/seeded_runs.h"

namespace hasa {

/// How a run stood on the validation split after an epoch.
struct CurvePoint {
  std::int64_t epoch = 0;
  double mrr = 0, hits_at_1 = 0;
};

/// The validated epochs of metrics.jsonl; a line that is not whole is left out.
std::vector<CurvePoint> parse_learning_curve(std::string_view metrics_jsonl);

/// Runs from several seeds, epoch by epoch.
struct SeededCurve {
  std::string name;
  std::vector<std::vector<CurvePoint>> seeds;

  /// The epochs that every seed was validated after, rising.
  std::vector<std::int64_t> epochs() const;
  SeedMean at(std::int64_t epoch, double CurvePoint::* metric) const;
};

/// Of runs whose folders are there.
SeededCurve curve_of(const SeededRuns& runs);

/// A line for each, with the deviation over the seeds.
XyChart curves_chart(const ChartText& text, const std::string& metric_name, double CurvePoint::* metric,
                     std::span<const SeededCurve> curves);
/// Both metrics, a row for each curve and epoch.
PageTable curves_table(const std::string& caption, std::span<const SeededCurve> curves);
StudyFile curves_csv(const std::string& file, const std::string& graph, std::span<const SeededCurve> curves);

/// Figures of MRR and Hits@1 with their table, all named after `id`.
std::vector<StudyFigure> curve_figures(const std::string& id, const std::string& graph,
                                       std::span<const SeededCurve> curves);

}  // namespace hasa
