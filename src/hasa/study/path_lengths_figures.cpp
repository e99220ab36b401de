#include "hasa/study/path_lengths_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hasa/page/number.h"
#include "hasa/study/seed_mean.h"

namespace hasa {
namespace {

constexpr std::int32_t kLongestShown = 12;  // longer paths share a column

/// The draws of all seeds on one graph.
PathLengthCounts sum_of(const std::vector<PathLengthsOf>& lengths, const std::string& graph) {
  PathLengthCounts sum;
  for (const PathLengthsOf& each : lengths) {
    if (each.graph != graph) continue;
    for (const auto& [length, count] : each.counts.true_negatives) sum.true_negatives[length] += count;
    for (const auto& [length, count] : each.counts.false_negatives) sum.false_negatives[length] += count;
  }
  return sum;
}

Histogram histogram_of(const std::string& graph, const std::map<std::int32_t, std::int64_t>& counts,
                       std::int32_t longest, const char* which) {
  Histogram chart{.text = {fmt::format("path-lengths-{}-{}", graph, which), fmt::format("Path lengths, {} negatives: {}", which, graph),
                           fmt::format("How many steps lie between head and tail in the graph of the retained triples, "
                                       "of all hard negatives drawn that are {}.",
                                       which)},
                  .counted = "draws",
                  .buckets = {}};
  for (std::int32_t length = 0; length <= longest; ++length)
    chart.buckets.push_back({fmt::format("{}", length), 0, fmt::format("{} steps", length)});
  if (longest == kLongestShown) chart.buckets.back() = {fmt::format("{}+", longest), 0, fmt::format("{} steps or more", longest)};
  chart.buckets.push_back({"none", 0, "no path"});
  for (const auto& [length, count] : counts)
    (length == kNoPath ? chart.buckets.back() : chart.buckets[static_cast<std::size_t>(std::min(length, longest))]).count += count;
  return chart;
}

PageTable numbers_of(const Histogram& chart) {
  PageTable table{.caption = chart.text.title, .columns = {{"steps", false}, {"draws", true}}, .rows = {}};
  for (const auto& bucket : chart.buckets)
    table.rows.push_back({{{bucket.name}, {format_whole(bucket.count), static_cast<double>(bucket.count)}}});
  return table;
}

StudyFigure curves_figure(const PathLengthsData& data, const std::string& graph) {
  XyChart chart{.text = {"roc-" + graph, "False negatives by nearness: " + graph,
                         "ROC curves of five measures of how near head and tail are; a false negative should be nearer."},
                .x = {.label = "share of the true negatives taken for false ones", .low = 0, .high = 1},
                .y = {.label = "share of the false negatives found", .low = 0, .high = 1},
                .series = {},
                .diagonal = true};
  PageTable table{.caption = "Area under the ROC curve on " + graph,
                  .columns = {{"measure", false},
                              {"area", true, "mean over seeds: the probability that a false negative is nearer than a true one"},
                              {"interval", false, "95%, over seeds, or over queries where there is one seed"}},
                  .rows = {}};
  for (const Proximity measure : kProximities) {
    std::vector<double> values;
    Interval interval;
    for (const MeasureArea& each : data.areas) {
      if (each.graph != graph || each.measure != measure) continue;
      values.push_back(each.area);
      interval = each.interval;
    }
    const SeedMean mean = seed_mean(values);
    if (mean.has_interval()) interval = mean.interval;
    table.rows.push_back({{{to_string(measure)},
                           {format_share(mean.mean), mean.mean},
                           {fmt::format("{} to {}", format_share(interval.low), format_share(interval.high))}}});
    const auto curve = std::ranges::find_if(
        data.curves, [&](const MeasureCurve& each) { return each.graph == graph && each.measure == measure; });
    ChartSeries series{fmt::format("{} {}", to_string(measure), format_share(mean.mean)), {}};
    for (const RocPoint& point : curve->points)
      series.points.push_back({point.false_positive_rate, point.true_positive_rate});
    chart.series.push_back(std::move(series));
  }
  return {std::move(chart), "The curves of one seed, the areas of all.", std::move(table)};
}

std::string lengths_csv(const PathLengthsData& data) {
  std::vector<std::vector<std::string>> rows;
  for (const PathLengthsOf& each : data.lengths) {
    const auto add = [&](const char* kind, const std::map<std::int32_t, std::int64_t>& counts) {
      for (const auto& [length, count] : counts)
        rows.push_back({each.graph, std::to_string(each.seed), kind, length == kNoPath ? "none" : std::to_string(length),
                        std::to_string(count)});
    };
    add("true", each.counts.true_negatives);
    add("false", each.counts.false_negatives);
  }
  return to_csv({"graph", "seed", "negatives", "length", "draws"}, rows);
}

std::string areas_csv(const PathLengthsData& data) {
  std::vector<std::vector<std::string>> rows;
  for (const MeasureArea& each : data.areas)
    rows.push_back({each.graph, std::to_string(each.seed), to_string(each.measure), fmt::format("{:.6f}", each.area),
                    fmt::format("{:.6f}", each.interval.low), fmt::format("{:.6f}", each.interval.high)});
  return to_csv({"graph", "seed", "measure", "area", "low", "high"}, rows);
}

std::string curves_csv(const PathLengthsData& data) {
  std::vector<std::vector<std::string>> rows;
  for (const MeasureCurve& each : data.curves) {
    for (const RocPoint& point : each.points)
      rows.push_back({each.graph, std::to_string(each.seed), to_string(each.measure),
                      fmt::format("{:.6f}", point.false_positive_rate), fmt::format("{:.6f}", point.true_positive_rate)});
  }
  return to_csv({"graph", "seed", "measure", "false_positive_rate", "true_positive_rate"}, rows);
}

}  // namespace

StudyResult describe_path_lengths(const PathLengthsData& data) {
  StudyResult result{.title = "Path lengths of true and false hard negatives", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::set<std::string> graphs;
  for (const PathLengthsOf& each : data.lengths) graphs.insert(each.graph);
  for (const std::string& graph : graphs) {
    const PathLengthCounts sum = sum_of(data.lengths, graph);
    std::int32_t longest = 0;
    for (const auto* counts : {&sum.true_negatives, &sum.false_negatives}) {
      if (!counts->empty()) longest = std::max(longest, counts->rbegin()->first);
    }
    longest = std::min(longest, kLongestShown);
    for (const auto& [which, counts] : {std::pair("false", &sum.false_negatives), std::pair("true", &sum.true_negatives)}) {
      const Histogram chart = histogram_of(graph, *counts, longest, which);
      result.figures.push_back({chart, "All seeds together; each draw counts.", numbers_of(chart)});
    }
    result.figures.push_back(curves_figure(data, graph));
    result.tables.push_back(result.figures.back().numbers);
  }
  result.files = {{"path_lengths.csv", lengths_csv(data)}, {"areas.csv", areas_csv(data)}, {"roc.csv", curves_csv(data)}};
  return result;
}

}  // namespace hasa
