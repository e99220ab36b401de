#pragma once

#include <optional>
#include <string>

#include "hasa/eval/report.h"
#include "hasa/page/chart.h"
#include "hasa/page/table.h"

namespace hasa {

/// The charts of a report's page, each with the table of its numbers.

/// Groups of fewer are shown in grey and without an interval: one of two queries that agree would be of no width.
constexpr std::int64_t kFewQueries = 10;

/// The result beside its floors and chance.
Chart beside_chart(const Report& report);
PageTable beside_table(const Report& report);

/// How many answers came out at which rank, in buckets that double.
Chart rank_chart(const Report& report);
PageTable rank_table(const Report& report);

/// Nothing where training was validated less than twice, or told no loss.
std::optional<Chart> validation_chart(const Report& report);
std::optional<Chart> loss_chart(const Report& report);
PageTable training_table(const Report& report);

/// What came true of answers beside the probability they were given, a point for each bin.
Chart reliability_chart(const Reliability& reliability);
PageTable reliability_table(const Reliability& reliability);

/// The groups with most queries; the table has all.
Chart breakdown_chart(const Report& report, const Breakdown& breakdown);
PageTable breakdown_table(const Breakdown& breakdown);
/// What the trait means, and how much of it is shown.
std::string breakdown_remark(const Breakdown& breakdown);

/// The columns of all tables of metrics, without rows; and a row for them.
PageTable metrics_table(const std::string& caption);
TableRow metrics_row(const std::string& name, const Metrics& metrics, const Interval* mrr);

}  // namespace hasa
