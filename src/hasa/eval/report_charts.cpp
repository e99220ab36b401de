#include "hasa/eval/report_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "hasa/base/shown_text.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

constexpr std::size_t kBarsShown = 25;

/// Each trait in one line.
constexpr std::pair<std::string_view, const char*> kDefinitions[] = {
    {"direction", "Whether the head or the tail is predicted."},
    {"relation", "The relation of the query, in either direction."},
    {"cardinality",
     "How many heads and tails the relation has on average in training: 1-N has one head for many tails."},
    {"answer_degree", "How many training triples the right answer occurs in."},
    {"given_degree", "How many training triples the given entity occurs in."},
    {"distance", "How many training edges lie between the given entity and the answer."},
    {"answer_seen", "Whether the right answer occurs in training."},
    {"entities_seen", "Whether the given entity and the answer occur in training."},
    {"pair_linked", "Whether training links the two by some relation, which makes many answers easy."}};

std::vector<ChartLevel> chance_level(const Report& report) { return {{"chance", report.chance.mrr}}; }

/// The baselines' metrics on the same group of queries.
std::vector<ChartLevel> floors_on(const Report& report, const std::string& by, const std::string& group) {
  std::vector<ChartLevel> levels;
  for (const Floor& floor : report.floors) {
    for (const Breakdown& breakdown : floor.breakdowns) {
      if (breakdown.by != by) continue;
      for (const Group& other : breakdown.groups) {
        if (other.name == group) levels.push_back({floor.name, other.metrics.mrr});
      }
    }
  }
  return levels;
}

std::string bucket_name(std::size_t k) {
  if (k == 0) return "rank 1";
  return fmt::format("ranks {} to {}", format_whole(std::int64_t{1} << k), format_whole((std::int64_t{2} << k) - 1));
}

TableCell number_cell(std::optional<double> value, const char* form) {
  return value ? TableCell(fmt::format(fmt::runtime(form), *value), *value) : TableCell("");
}

constexpr const char *kTenBest = "ten best answers", *kFirst = "first answers only";

ChartSeries reliability_series(const char* name, const Reliability& r) {
  ChartSeries series{name, {}};
  for (const Reliability::Bin& bin : r.bins) {
    const std::string note = fmt::format("{} answers with {:.1f}% on average: {:.1f}% true", format_whole(bin.answers),
                                         100 * bin.stated, 100 * bin.came_true);
    series.points.push_back({bin.stated, bin.came_true, {}, note});
  }
  return series;
}

}  // namespace

Chart beside_chart(const Report& report) {
  const Metrics& all = report.scores.all;
  BarChart chart{{"beside", "MRR and baselines",
                  fmt::format("MRR {}; by chance {}.", format_share(all.mrr), format_share(report.chance.mrr))},
                 {{.label = "this model", .value = all.mrr, .interval = report.all.mrr}}};
  for (const Floor& floor : report.floors) chart.bars.push_back({.label = floor.name, .value = floor.metrics.mrr});
  chart.bars.push_back({.label = "chance", .value = report.chance.mrr});
  return chart;
}

PageTable beside_table(const Report& report) {
  PageTable table = metrics_table("The result and baselines");
  table.rows.push_back(metrics_row("this model", report.scores.all, &report.all.mrr));
  for (const Floor& floor : report.floors) table.rows.push_back(metrics_row(floor.name, floor.metrics, nullptr));
  table.rows.push_back(metrics_row("chance", report.chance, nullptr));
  return table;
}

Chart rank_chart(const Report& report) {
  Histogram chart{
      {"ranks", "Ranks of the right answers",
       fmt::format("Percentage of the queries by rank of the answer, in doubling buckets. {} of {} answers are first.",
                   report.histogram.empty() ? "0" : format_whole(report.histogram[0]),
                   format_whole(report.scores.all.queries))},
      "queries",
      {}};
  for (std::size_t k = 0; k < report.histogram.size(); ++k)
    chart.buckets.push_back({format_power_of_two(std::uint64_t{1} << k), report.histogram[k], bucket_name(k)});
  return chart;
}

PageTable rank_table(const Report& report) {
  PageTable table{"Queries by rank", {{"rank"}, {"queries", true}}, {}};
  for (std::size_t k = 0; k < report.histogram.size(); ++k) {
    const std::int64_t count = report.histogram[k];
    table.rows.push_back(
        {{{bucket_name(k), static_cast<double>(k)}, {format_whole(count), static_cast<double>(count)}}});
  }
  return table;
}

std::optional<Chart> validation_chart(const Report& report) {
  ChartSeries series{"", {}};
  for (const TrainingEpoch& epoch : report.training) {
    if (epoch.valid_mrr)
      series.points.push_back({epoch.epoch,
                               *epoch.valid_mrr,
                               {},
                               fmt::format("epoch {:g}: MRR {}", epoch.epoch, format_share(*epoch.valid_mrr))});
  }
  if (series.points.size() < 2) return std::nullopt;
  const std::string description =
      fmt::format("From {} to {} over {} validations.", format_share(series.points.front().y),
                  format_share(series.points.back().y), series.points.size());
  return XyChart{.text = {"validation", "Training curve", description},
                 .x = {.label = "epoch", .low = 0, .whole = true},
                 .y = {.label = "validation MRR", .low = 0},
                 .series = {std::move(series)},
                 .levels = chance_level(report)};
}

std::optional<Chart> loss_chart(const Report& report) {
  ChartSeries series{"", {}};
  for (const TrainingEpoch& epoch : report.training) {
    if (epoch.loss)
      series.points.push_back(
          {epoch.epoch, *epoch.loss, {}, fmt::format("epoch {:g}: loss {:.3g}", epoch.epoch, *epoch.loss)});
  }
  if (series.points.size() < 2) return std::nullopt;
  const std::string description =
      fmt::format("From {:.3g} to {:.3g}.", series.points.front().y, series.points.back().y);
  return XyChart{.text = {"loss", "Training loss", description},
                 .x = {.label = "epoch", .low = 0, .whole = true},
                 .y = {.label = "loss"},
                 .series = {std::move(series)}};
}

PageTable training_table(const Report& report) {
  PageTable table{"Training, epoch by epoch", {{"epoch", true}, {"loss", true}, {"validation MRR", true}}, {}};
  for (const TrainingEpoch& epoch : report.training)
    table.rows.push_back({{number_cell(epoch.epoch, "{:g}"), number_cell(epoch.loss, "{:.4g}"),
                           number_cell(epoch.valid_mrr, "{:.3f}")}});
  return table;
}

Chart reliability_chart(const ReportedCalibration& calibration) {
  const Reliability& r = calibration.measured;
  const std::string description = fmt::format(
      "Answers in {} equal-mass bins by probability, and the fraction of each that is true. On the dashed line the two "
      "agree; on average they are {} apart, {} for the first answers only.",
      r.bins.size(), format_share(r.calibration_error), format_share(calibration.of_first.calibration_error));
  return XyChart{.text = {"reliability", "Calibration of probabilities", description},
                 .x = {"predicted probability", false, 0, 1},
                 .y = {.label = "fraction true", .low = 0, .high = 1},
                 .series = {reliability_series(kTenBest, r), reliability_series(kFirst, calibration.of_first)},
                 .diagonal = true};
}

PageTable reliability_table(const ReportedCalibration& calibration) {
  PageTable table{"Predicted and observed probabilities",
                  {{"answers"},
                   {"probabilities", true},
                   {"how many", true},
                   {"mean probability", true},
                   {"true", true, "fraction of the answers that are in the split"}},
                  {}};
  const auto add = [&](const char* name, const Reliability& r) {
    for (const Reliability::Bin& bin : r.bins) {
      table.rows.push_back({{name,
                             {fmt::format("{:.4f} to {:.4f}", bin.least, bin.greatest), bin.least},
                             {format_whole(bin.answers), static_cast<double>(bin.answers)},
                             number_cell(bin.stated, "{:.4f}"),
                             number_cell(bin.came_true, "{:.4f}")}});
    }
  };
  add(kTenBest, calibration.measured);
  add(kFirst, calibration.of_first);
  return table;
}

Chart breakdown_chart(const Report& report, const Breakdown& breakdown) {
  const auto by_mrr = [](const Group& a, const Group& b) { return a.metrics.mrr < b.metrics.mrr; };
  const auto [least, most] = std::minmax_element(breakdown.groups.begin(), breakdown.groups.end(), by_mrr);
  BarChart chart{{"by-" + breakdown.by, "By " + breakdown.title,
                  fmt::format("{} groups, with 95% intervals. Lowest MRR {} for {}, highest {} for {}.",
                              breakdown.groups.size(), format_share(least->metrics.mrr), shown(least->name),
                              format_share(most->metrics.mrr), shown(most->name))},
                 {},
                 chance_level(report)};
  for (const Group& group : breakdown.groups) {
    if (chart.bars.size() == kBarsShown) break;
    chart.bars.push_back(
        {.label = group.name,
         .value = group.metrics.mrr,
         .interval = group.intervals.mrr,
         .note = format_whole(group.metrics.queries) + (group.metrics.queries == 1 ? " query" : " queries"),
         .others = floors_on(report, breakdown.by, group.name),
         .faint = group.metrics.queries < kFewQueries});
  }
  return chart;
}

PageTable breakdown_table(const Breakdown& breakdown) {
  PageTable table = metrics_table("By " + breakdown.title);
  for (const Group& group : breakdown.groups) {
    const bool few = group.metrics.queries < kFewQueries;
    table.rows.push_back(metrics_row(group.name, group.metrics, few ? nullptr : &group.intervals.mrr));
    table.rows.back().faint = few;
  }
  return table;
}

std::string breakdown_remark(const Breakdown& breakdown) {
  const auto* found = std::find_if(std::begin(kDefinitions), std::end(kDefinitions),
                                   [&](const auto& entry) { return entry.first == breakdown.by; });
  std::string words = found == std::end(kDefinitions) ? "" : found->second;
  if (breakdown.groups.size() > kBarsShown)
    words += fmt::format(" The {} groups with the most queries of {}; the table has all.", kBarsShown,
                         breakdown.groups.size());
  return words;
}

PageTable metrics_table(const std::string& caption) {
  return {caption,
          {{""},
           {"queries", true},
           {"MRR", true, "mean of 1 / rank"},
           {"95%", true, "bootstrap interval of the MRR, resampling triples"},
           {"Hits@1", true, "fraction of the answers ranked first"},
           {"Hits@3", true, "fraction of the answers in the top three"},
           {"Hits@10", true, "fraction of the answers in the top ten"},
           {"mean rank", true, "mean rank of the right answer"}},
          {}};
}

TableRow metrics_row(const std::string& name, const Metrics& m, const Interval* mrr) {
  return {{{name},
           {format_whole(m.queries), static_cast<double>(m.queries)},
           {format_share(m.mrr), m.mrr},
           mrr == nullptr
               ? TableCell("")
               : TableCell(fmt::format("{} to {}", format_share(mrr->low), format_share(mrr->high)), mrr->low),
           {format_share(m.hits_at_1), m.hits_at_1},
           {format_share(m.hits_at_3), m.hits_at_3},
           {format_share(m.hits_at_10), m.hits_at_10},
           {fmt::format("{:.1f}", m.mean_rank), m.mean_rank}}};
}

}  // namespace hasa
