#include "hasa/study/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/run/run.h"

namespace hasa {
namespace {

const CurvePoint* find_epoch(const std::vector<CurvePoint>& curve, std::int64_t epoch) {
  const auto found = std::ranges::find(curve, epoch, &CurvePoint::epoch);
  return found == curve.end() ? nullptr : &*found;
}

}  // namespace

std::vector<CurvePoint> parse_learning_curve(std::string_view lines) {
  using Json = nlohmann::json;
  static const Json::json_pointer kMrr("/valid/all/mrr"), kHits("/valid/all/hits@1");
  std::vector<CurvePoint> curve;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded() || !json.contains(kMrr) || !json.contains(kHits) || !json.contains("epoch")) continue;
    curve.push_back({json["epoch"].get<std::int64_t>(), json[kMrr].get<double>(), json[kHits].get<double>()});
  }
  return curve;
}

std::vector<std::int64_t> SeededCurve::epochs() const {
  std::vector<std::int64_t> all;
  if (seeds.empty()) return all;
  for (const CurvePoint& point : seeds.front()) {
    const auto has = [&](const std::vector<CurvePoint>& curve) { return find_epoch(curve, point.epoch) != nullptr; };
    if (std::ranges::all_of(seeds, has)) all.push_back(point.epoch);
  }
  std::ranges::sort(all);
  return all;
}

SeedMean SeededCurve::at(std::int64_t epoch, double CurvePoint::* metric) const {
  std::vector<double> values;
  for (const auto& curve : seeds) {
    const CurvePoint* point = find_epoch(curve, epoch);
    HASA_ASSERT(point != nullptr);
    values.push_back(point->*metric);
  }
  return seed_mean(values);
}

SeededCurve curve_of(const SeededRuns& runs) {
  SeededCurve curve{runs.name, {}};
  for (const SeededRun& run : runs.seeds) {
    curve.seeds.push_back(parse_learning_curve(read_file(run.folder / Run::kMetrics)));
    HASA_CHECK(!curve.seeds.back().empty(), data, "{} was never validated, so it has no learning curve",
               run.folder.string());
  }
  return curve;
}

XyChart curves_chart(const ChartText& text, const std::string& metric_name, double CurvePoint::* metric,
                     std::span<const SeededCurve> curves) {
  XyChart chart{
      .text = text, .x = {.label = "epoch", .whole = true}, .y = {.label = metric_name}, .series = {}, .levels = {}};
  for (const SeededCurve& curve : curves) {
    ChartSeries series{curve.name, {}};
    for (const std::int64_t epoch : curve.epochs()) {
      const SeedMean value = curve.at(epoch, metric);
      series.points.push_back({static_cast<double>(epoch), value.mean, spread(value),
                               fmt::format("epoch {}, {} {}", epoch, metric_name, words(value))});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

PageTable curves_table(const std::string& caption, std::span<const SeededCurve> curves) {
  PageTable table{caption,
                  {{"", false},
                   {"epoch", true},
                   {"MRR", true, "on the validation split; mean and standard deviation over the seeds"},
                   {"Hits@1", true, "on the validation split; mean and standard deviation over the seeds"}},
                  {}};
  for (const SeededCurve& curve : curves) {
    for (const std::int64_t epoch : curve.epochs()) {
      const SeedMean mrr = curve.at(epoch, &CurvePoint::mrr), hits = curve.at(epoch, &CurvePoint::hits_at_1);
      table.rows.push_back({{{curve.name},
                             {std::to_string(epoch), static_cast<double>(epoch)},
                             {words(mrr), mrr.mean},
                             {words(hits), hits.mean}}});
    }
  }
  return table;
}

StudyFile curves_csv(const std::string& file, const std::string& graph, std::span<const SeededCurve> curves) {
  std::vector<std::vector<std::string>> lines;
  for (const SeededCurve& curve : curves) {
    for (std::size_t seed = 0; seed < curve.seeds.size(); ++seed) {
      for (const CurvePoint& point : curve.seeds[seed])
        lines.push_back({graph, curve.name, std::to_string(seed + 1), std::to_string(point.epoch),
                         fmt::format("{:.6g}", point.mrr), fmt::format("{:.6g}", point.hits_at_1)});
    }
  }
  return {file, to_csv({"graph", "curve", "seed", "epoch", "valid_mrr", "valid_hits@1"}, lines)};
}

std::vector<StudyFigure> curve_figures(const std::string& id, const std::string& graph,
                                       std::span<const SeededCurve> curves) {
  const PageTable table = curves_table("Validation by epoch on " + graph, curves);
  const std::string remark = "validation split; mean and standard deviation over the seeds";
  const auto text = [&](const char* metric, const char* ending) {
    return ChartText{fmt::format("{}-{}-{}", id, ending, graph), fmt::format("{} by epoch on {}", metric, graph),
                     fmt::format("{} on the validation split after each epoch, a line for each kind of run", metric)};
  };
  return {{curves_chart(text("MRR", "mrr"), "MRR", &CurvePoint::mrr, curves), remark, table},
          {curves_chart(text("Hits@1", "hits-at-1"), "Hits@1", &CurvePoint::hits_at_1, curves), remark, table}};
}

}  // namespace hasa
