#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "hasa/base/shown_text.h"
#include "hasa/eval/metrics_json.h"
#include "hasa/eval/report.h"

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kGroupsShown = 20;
constexpr int kNameWidth = 36;

std::string interval_words(const Interval& interval) {
  return fmt::format("{}-{}", format_share(interval.low), format_share(interval.high));
}

std::string heading(const std::string& name) {
  return fmt::format("{}{:>8}{:>7}{:>12}{:>8}{:>8}{:>8}{:>10}\n", shown_in_column(name, kNameWidth), "queries", "MRR",
                     "95%", "H@1", "H@3", "H@10", "MR");
}

std::string row_of(const std::string& name, const Metrics& m, const MetricIntervals& intervals) {
  return fmt::format("{}{:>8}{:>7}{:>12}{:>8}{:>8}{:>8}{:>10.1f}\n", shown_in_column(name, kNameWidth), m.queries,
                     format_share(m.mrr), interval_words(intervals.mrr), format_share(m.hits_at_1),
                     format_share(m.hits_at_3), format_share(m.hits_at_10), m.mean_rank);
}

std::string table_of(const Breakdown& breakdown) {
  std::string table = "\n" + heading("by " + breakdown.title);
  const std::size_t shown = std::min(breakdown.groups.size(), kGroupsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Group& group = breakdown.groups[i];
    table += row_of("  " + group.name, group.metrics, group.intervals);
  }
  if (shown < breakdown.groups.size())
    table +=
        fmt::format("  and {} more with fewer queries: --json and --html have them\n", breakdown.groups.size() - shown);
  return table;
}

std::string table_of(const PaperScores& paper) {
  return fmt::format(
      "\nThe paper's protocol, for comparison with its printed figures only. NOT comparable with anything above: the\n"
      "first {} queries, the query's head not a candidate, near misses count for the answer, MR from 0.\n"
      "{}{:>8}{:>7}{:>12}{:>8}{:>8}{:>8}{:>10.1f}\n",
      paper.queries, shown_in_column("paper's protocol", kNameWidth), paper.queries, format_share(paper.mrr), "",
      format_share(paper.hits_at_1), format_share(paper.hits_at_3), format_share(paper.hits_at_10), paper.mean_rank);
}

Json json_of(const Metrics& m, const MetricIntervals& intervals) {
  const auto pair = [](const Interval& i) { return Json::array({i.low, i.high}); };
  Json json = json_of(m);
  json["intervals"] = {{"mrr", pair(intervals.mrr)},
                       {"hits@1", pair(intervals.hits_at_1)},
                       {"hits@3", pair(intervals.hits_at_3)},
                       {"hits@10", pair(intervals.hits_at_10)}};
  return json;
}

Json json_of(const std::vector<Breakdown>& breakdowns) {
  Json json = Json::object();
  for (const Breakdown& breakdown : breakdowns) {
    Json groups = Json::array();
    for (const Group& group : breakdown.groups) {
      Json one{{"name", group.name}};
      one.update(json_of(group.metrics, group.intervals));
      groups.push_back(std::move(one));
    }
    json[breakdown.by] = std::move(groups);
  }
  return json;
}

std::string line_of(const ReportedCalibration& calibration) {
  const Reliability& r = calibration.measured;
  return fmt::format(
      "\nprobabilities of the {} best answers: expected calibration error {}, Brier score {} ({} for always predicting "
      "the base rate {})\n",
      format_whole(r.answers), format_share(r.calibration_error), format_share(r.brier),
      format_share(r.brier_of_base_rate), format_share(r.base_rate));
}

Json json_of(const Reliability& r) {
  Json json{{"answers", r.answers},
            {"base_rate", r.base_rate},
            {"expected_calibration_error", r.calibration_error},
            {"brier", r.brier},
            {"brier_of_base_rate", r.brier_of_base_rate},
            {"bins", Json::array()}};
  for (const Reliability::Bin& bin : r.bins) {
    json["bins"].push_back({{"answers", bin.answers},
                            {"probability", bin.stated},
                            {"came_true", bin.came_true},
                            {"least", bin.least},
                            {"greatest", bin.greatest}});
  }
  return json;
}

Json json_of(const ReportedCalibration& calibration) {
  Json json{{"made_by", calibration.made_by}};
  json.update(json_of(calibration.measured));
  json["first"] = json_of(calibration.of_first);
  return json;
}

Json json_of(const PaperScores& paper) {
  return {{"comparable", false},          {"queries", paper.queries},  {"mrr", paper.mrr},
          {"mr_from_0", paper.mean_rank}, {"hits@1", paper.hits_at_1}, {"hits@3", paper.hits_at_3},
          {"hits@10", paper.hits_at_10}};
}

Json json_of(const Certificate& certificate) {
  Json json = Json::object();
  for (const Certificate::Entry& entry : certificate.entries) {
    if (entry.shown == Certificate::Shown::words) continue;
    if (const auto* named = std::get_if<Certificate::Named>(&entry.value)) {
      json[entry.key] = Json::object();
      for (const auto& [name, value] : *named) json[entry.key][name] = value;
    } else {
      std::visit([&](const auto& value) { json[entry.key] = value; }, entry.value);
    }
  }
  return json;
}

}  // namespace

std::string to_table(const Report& report) {
  std::string table = heading("");
  table += row_of("all", report.scores.all, report.all);
  table += row_of("tail asked", report.scores.tails, report.tails);
  table += row_of("head asked", report.scores.heads, report.heads);
  for (const Group& group : report.novelty) table += row_of(group.name, group.metrics, group.intervals);
  if (report.calibration) table += line_of(*report.calibration);
  for (const Breakdown& breakdown : report.breakdowns) {
    if (breakdown.by != "direction") table += table_of(breakdown);
  }
  if (report.paper) table += table_of(*report.paper);
  return table + "\n" + to_lines(report.certificate);
}

std::string to_json(const Report& report) {
  Json json{{"run", report.run}, {"split", to_string(report.split)}};
  json["all"] = json_of(report.scores.all, report.all);
  json["tails"] = json_of(report.scores.tails, report.tails);
  json["heads"] = json_of(report.scores.heads, report.heads);
  if (!report.novelty.empty()) {
    json["unseen"] = json_of(report.novelty.front().metrics, report.novelty.front().intervals);
    if (report.novelty.size() > 1)
      json["seen"] = json_of(report.novelty.back().metrics, report.novelty.back().intervals);
  }
  if (report.calibration) json["calibration"] = json_of(*report.calibration);
  for (const RuleMetrics& rule : report.rules)
    json["rules"][to_string(rule.rivals)][to_string(rule.ties)] = json_of(rule.metrics);
  json["histogram"] = Json::array();
  for (std::size_t k = 0; k < report.histogram.size(); ++k)
    json["histogram"].push_back(
        {{"from", std::int64_t{1} << k}, {"below", std::int64_t{2} << k}, {"queries", report.histogram[k]}});
  if (!report.breakdowns.empty()) json["breakdown"] = json_of(report.breakdowns);
  if (report.paper) json["paper_protocol"] = json_of(*report.paper);
  json["certificate"] = json_of(report.certificate);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hasa
