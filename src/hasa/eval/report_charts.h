#pragma once

#include <optional>
#include <string>

#include "hasa/eval/report.h"
#include "hasa/page/chart.h"
#include "hasa/page/table.h"

namespace hasa {

/// The charts of a report's page, each with the table of its numbers.

/// Smaller groups are grey and have no interval: that of two queries that agree would have width zero.
constexpr std::int64_t kFewQueries = 10;

/// The result compared with baselines and chance.
Chart beside_chart(const Report& report);
PageTable beside_table(const Report& report);

/// The distribution of ranks, in doubling buckets.
Chart rank_chart(const Report& report);
PageTable rank_table(const Report& report);

/// Nothing if training has fewer than two validations, or no losses.
std::optional<Chart> validation_chart(const Report& report);
std::optional<Chart> loss_chart(const Report& report);
PageTable training_table(const Report& report);

/// The fraction of true answers by predicted probability, a point per bin.
Chart reliability_chart(const ReportedCalibration& calibration);
PageTable reliability_table(const ReportedCalibration& calibration);

/// The groups with the most queries; the table has all.
Chart breakdown_chart(const Report& report, const Breakdown& breakdown);
PageTable breakdown_table(const Breakdown& breakdown);
/// What the trait means, and how much of it is displayed.
std::string breakdown_remark(const Breakdown& breakdown);

/// The columns of all tables of metrics, without rows; and a row for them.
PageTable metrics_table(const std::string& caption);
TableRow metrics_row(const std::string& name, const Metrics& metrics, const Interval* mrr);

}  // namespace hasa
