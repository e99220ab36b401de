#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/eval/report.h"
#include "hasa/eval/report_style.h"
#include "hasa/eval/svg_chart.h"

namespace hasa {
namespace {

constexpr std::size_t kBarsShown = 25;

std::string count(std::int64_t value) { return format_count(static_cast<std::uint64_t>(value)); }

std::string range(const Interval& interval) {
  return fmt::format("{} to {}", format_share(interval.low), format_share(interval.high));
}

std::string card(const char* name, const std::string& value, const std::string& note) {
  return fmt::format("<div class=\"card\"><dt>{}</dt><dd>{}<small>{}</small></dd></div>", name, value, note);
}

std::string headline(const Report& report) {
  const Metrics& m = report.scores.all;
  return "<dl class=\"cards\">" + card("MRR", format_share(m.mrr), range(report.all.mrr)) +
         card("Hits@1", format_share(m.hits_at_1), range(report.all.hits_at_1)) +
         card("Hits@3", format_share(m.hits_at_3), range(report.all.hits_at_3)) +
         card("Hits@10", format_share(m.hits_at_10), range(report.all.hits_at_10)) +
         card("Mean rank", fmt::format("{:.1f}", m.mean_rank), fmt::format("of {} queries", count(m.queries))) +
         "</dl>\n";
}

constexpr const char* kMetricColumns =
    "<th scope=\"col\">queries</th><th scope=\"col\">MRR</th><th scope=\"col\">95%</th><th scope=\"col\">H@1</th>"
    "<th scope=\"col\">H@3</th><th scope=\"col\">H@10</th><th scope=\"col\">MR</th></tr></thead><tbody>\n";

std::string row(const std::string& name, const Metrics& m, const Interval* interval) {
  return fmt::format(
      "<tr><th "
      "scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td></tr>\n",
      escape_html(shown(name)), count(m.queries), format_share(m.mrr), interval == nullptr ? "" : range(*interval),
      format_share(m.hits_at_1), format_share(m.hits_at_3), format_share(m.hits_at_10), m.mean_rank);
}

/// A table wider than a phone scrolls by itself, with the keyboard too.
std::string scrolled(const std::string& caption, const std::string& head_and_body) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table><caption>{0}</caption>{1}</table></div>\n",
      caption, head_and_body);
}

std::string table(const std::string& caption, const std::string& rows) {
  return scrolled(caption, fmt::format("<thead><tr><td></td>{}{}</tbody>", kMetricColumns, rows));
}

std::string rules_table(const Report& report) {
  std::string rows = row("tail asked", report.scores.tails, &report.tails.mrr) +
                     row("head asked", report.scores.heads, &report.heads.mrr);
  for (const RuleMetrics& rule : report.rules)
    rows += row(fmt::format("{}, {}", to_string(rule.ties), to_string(rule.rivals)), rule.metrics, nullptr);
  return "<p class=\"muted\">Both directions apart, and every rule for ties and filters. Only realistic, filtered is "
         "the "
         "result.</p>" +
         table("Every rule", rows);
}

std::string breakdown_section(const Breakdown& breakdown) {
  std::vector<Bar> bars;
  std::string rows;
  for (const Group& group : breakdown.groups) {
    rows += row(group.name, group.metrics, &group.intervals.mrr);
    if (bars.size() == kBarsShown) continue;
    bars.push_back({group.name, group.metrics.mrr, group.intervals.mrr, count(group.metrics.queries)});
  }
  const auto by_mrr = [](const Group& a, const Group& b) { return a.metrics.mrr < b.metrics.mrr; };
  const auto [least, most] = std::minmax_element(breakdown.groups.begin(), breakdown.groups.end(), by_mrr);
  const std::string description = fmt::format("{} groups, with 95% intervals. Lowest MRR {} for {}, highest {} for {}.",
                                              breakdown.groups.size(), format_share(least->metrics.mrr),
                                              shown(least->name), format_share(most->metrics.mrr), shown(most->name));
  const std::string more =
      breakdown.groups.size() > kBarsShown
          ? fmt::format("<p class=\"muted\">The {} with most queries of {}; the table has all.</p>", kBarsShown,
                        breakdown.groups.size())
          : "";
  return fmt::format(
      "<figure><figcaption>By {0}</figcaption>{1}{2}<details><summary>Table</summary>{3}</details></figure>\n",
      escape_html(breakdown.title), bar_chart({"by-" + breakdown.by, "MRR by " + breakdown.title, description}, bars),
      more, table("By " + escape_html(breakdown.title), rows));
}

std::string histogram_section(const Report& report) {
  const std::int64_t first = report.histogram.empty() ? 0 : report.histogram[0];
  std::string rows;
  for (std::size_t k = 0; k < report.histogram.size(); ++k)
    rows += fmt::format("<tr><th scope=\"row\">{} to {}</th><td>{}</td></tr>", count(std::int64_t{1} << k),
                        count((std::int64_t{2} << k) - 1), count(report.histogram[k]));
  const ChartText text{
      "histogram", "Ranks of the answers",
      fmt::format("Share of the queries whose answer has a rank in each bucket, each twice as wide as the one "
                  "before. {} of {} answers come first.",
                  count(first), count(report.scores.all.queries))};
  return fmt::format(
      "<figure><figcaption>Ranks of the answers <span class=\"muted\">(% of queries; columns begin at the rank below "
      "them)"
      "</span></figcaption>{}<details><summary>Table</summary>{}</details></figure>\n",
      rank_histogram_chart(text, report.histogram),
      scrolled("Queries by rank",
               fmt::format(
                   "<thead><tr><th scope=\"col\">rank</th><th scope=\"col\">queries</th></tr></thead><tbody>{}</tbody>",
                   rows)));
}

std::string paper_section(const PaperScores& paper) {
  return fmt::format(
      "<section class=\"warning\"><h2>The paper's protocol</h2><p><strong>Not comparable with anything else on this "
      "page.</strong> "
      "The first {} queries, the query's own head no candidate, an entity outranks the answer only when the "
      "exponential of its "
      "score is larger by more than 0.001, mean rank from 0. For comparison with the paper's printed figures alone.</p>"
      "<p>MRR {} &middot; Hits@1 {} &middot; Hits@3 {} &middot; Hits@10 {} &middot; MR {:.1f}</p></section>\n",
      count(paper.queries), format_share(paper.mrr), format_share(paper.hits_at_1), format_share(paper.hits_at_3),
      format_share(paper.hits_at_10), paper.mean_rank);
}

std::string certificate_section(const Certificate& certificate) {
  std::string section = "<section><h2>Certificate</h2><dl class=\"certificate\">\n";
  for (const Certificate::Entry& entry : certificate.entries) {
    if (entry.shown == Certificate::Shown::json) continue;
    section += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(entry.label),
                           escape_html(to_string(entry.value)));
  }
  return section + "</dl></section>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  const std::string name = escape_html(shown(report.run));
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{0}: {1} "
      "split</title>\n<style>{2}</style>"
      "</head>\n<body><main><header><h1>{0}</h1><p>Every triple of the {1} split asked from both ends, among all "
      "entities, "
      "known answers left out, ties at their mean rank. Whiskers and ranges are 95% bootstrap "
      "intervals.</p></header>\n",
      name, to_string(report.split), kReportStyle);
  page += headline(report) + rules_table(report) +
          "<h2>Where it is good, and where not</h2>\n<p class=\"muted\">MRR with its 95% interval; the number of "
          "queries in grey.</p>\n<div class=\"charts\">\n" +
          histogram_section(report);
  // The long one comes last.
  std::string relations;
  for (const Breakdown& breakdown : report.breakdowns)
    (breakdown.by == "relation" ? relations : page) += breakdown_section(breakdown);
  page += relations + "</div>\n";
  if (report.paper) page += paper_section(*report.paper);
  return page + certificate_section(report.certificate) + "</main></body></html>\n";
}

}  // namespace hasa
