#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hasa/base/shown_text.h"
#include "hasa/eval/report.h"
#include "hasa/eval/report_charts.h"
#include "hasa/page/page.h"

namespace hasa {
namespace {

std::string range(const Interval& interval) {
  return fmt::format("{} to {}", format_share(interval.low), format_share(interval.high));
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

/// "The right answer came first in 50% of 1,296 queries, and in the top ten in 86%."
std::string sentence(const Report& report) {
  const Metrics& m = report.scores.all;
  std::string words = fmt::format("The right answer came first in {} of {} queries, and in the top ten in {}.",
                                  percent(m.hits_at_1), format_whole(m.queries), percent(m.hits_at_10));
  const auto best = std::max_element(report.floors.begin(), report.floors.end(),
                                     [](const Floor& a, const Floor& b) { return a.metrics.mrr < b.metrics.mrr; });
  if (best != report.floors.end())
    words += fmt::format(" By comparison, {}: first in {}, in the top ten in {}.", best->name,
                         percent(best->metrics.hits_at_1), percent(best->metrics.hits_at_10));
  return words;
}

/// "About entities that training never saw: MRR .321 (512 queries); about the others: .584 (2,080)."
std::string novelty_words(const std::vector<Group>& novelty) {
  const Metrics& unseen = novelty.front().metrics;
  std::string words = fmt::format("About entities that training never saw: MRR {} ({} queries", format_share(unseen.mrr),
                                  format_whole(unseen.queries));
  if (novelty.size() > 1) words += fmt::format("); about the others: {} ({}", format_share(novelty.back().metrics.mrr),
                                               format_whole(novelty.back().metrics.queries));
  return words + ").";
}

Section result_section(const Report& report) {
  const Metrics& m = report.scores.all;
  Section section;
  section.lead(sentence(report));
  section.cards(
      {{"MRR", format_share(m.mrr), "mean of 1 / rank; 95%: " + range(report.all.mrr)},
       {"Hits@1", format_share(m.hits_at_1), "answers that came first; 95%: " + range(report.all.hits_at_1)},
       {"Hits@3", format_share(m.hits_at_3), "answers in the top three; 95%: " + range(report.all.hits_at_3)},
       {"Hits@10", format_share(m.hits_at_10), "answers in the top ten; 95%: " + range(report.all.hits_at_10)},
       {"Mean rank", fmt::format("{:.1f}", m.mean_rank),
        fmt::format("by chance {}; a few bad ranks decide it", format_whole(std::lround(report.chance.mean_rank)))}});
  if (!report.novelty.empty()) section.paragraph(novelty_words(report.novelty));
  section.figure(beside_chart(report), "Mean of 1 / rank, all on the same queries; by chance it is almost nothing.",
                 beside_table(report));
  section.figure(rank_chart(report), "% of queries; a column begins at the rank below it", rank_table(report));
  if (const auto curve = validation_chart(report))
    section.figure(*curve, "MRR on the validation split after each epoch that was validated", training_table(report));
  if (const auto curve = loss_chart(report)) section.figure(*curve, "mean of each epoch", training_table(report));
  return section;
}

Section calibration_section(const ReportedCalibration& calibration) {
  const Reliability& r = calibration.measured;
  Section section("What a probability means");
  section.remark(fmt::format(
      "Over the ten best answers of each query, those known before left out: the share of answers with such a "
      "probability that came true. Made by {}, fitted to the validation split. Questions that have no answer at all "
      "are not among these, and there probabilities are too high.",
      calibration.made_by));
  section.cards({{"Calibration error", format_share(r.calibration_error),
                  fmt::format("expected: mean distance of the two, over {} bins of equal size", r.bins.size())},
                 {"Brier score", format_share(r.brier),
                  fmt::format("mean square of what is missing to 0 or 1; {} by always saying the base rate",
                              format_share(r.brier_of_base_rate))},
                 {"Came true", percent(r.base_rate), fmt::format("of {} answers", format_whole(r.answers))}});
  return section.figure(reliability_chart(r), "a point for each bin; on the dashed line the two agree",
                        reliability_table(r));
}

const char* heading_of(ExampleKind kind) {
  return kind == ExampleKind::best ? "best" : kind == ExampleKind::typical ? "typical" : "worst";
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " · ") + name;
  return all;
}

std::string rank_words(double rank) {
  return rank == std::floor(rank) ? format_whole(static_cast<std::int64_t>(rank)) : fmt::format("{:.1f}", rank);
}

Section examples_section(const Report& report) {
  PageTable table{"Best, typical and worst queries",
                  {{"", false, "best: among the first; typical: around the median rank; worst: at the end"},
                   {"asked", false, "? stands for what was to be found"},
                   {"the right answer"},
                   {"its rank", true, "place of the right answer among all entities, other known answers left out"},
                   {"what the model put first", false, "its first three, other known answers left out"}},
                  {}};
  for (const ExampleQuery& example : report.examples) {
    table.rows.push_back({{{heading_of(example.kind)},
                           {example.asked},
                           {example.answer},
                           {rank_words(example.rank), example.rank},
                           {joined(example.predicted)}}});
  }
  Section section("Best, typical and worst");
  section.remark(
      "Chosen by rank alone: some of the best, some around the median, and the worst (no more than two of a "
      "relation asked the same way). What the model put first may be right and missing from the graph.");
  return section.table(table);
}

Section rules_section(const Report& report) {
  PageTable table = metrics_table("Every rule");
  table.rows.push_back(metrics_row("tail asked", report.scores.tails, &report.tails.mrr));
  table.rows.push_back(metrics_row("head asked", report.scores.heads, &report.heads.mrr));
  for (const RuleMetrics& rule : report.rules)
    table.rows.push_back(
        metrics_row(fmt::format("{}, {}", to_string(rule.ties), to_string(rule.rivals)), rule.metrics, nullptr));
  return Section().fold("Each direction, and every rule for ties and filters; only realistic, filtered is the result",
                        table);
}

Section breakdowns_section(const Report& report) {
  Section section("Where it is good, and where not");
  section.remark(fmt::format(
      "MRR with its 95% interval, and the number of queries behind it. Groups of fewer than {} queries are grey: they "
      "say too little.{}",
      kFewQueries, report.floors.empty() ? "" : " The small signs are what simpler ways reach on the same queries."));
  const auto add = [&](bool relations) {
    for (const Breakdown& breakdown : report.breakdowns) {
      if ((breakdown.by == "relation") != relations || breakdown.groups.size() < 2) continue;
      section.figure(breakdown_chart(report, breakdown), breakdown_remark(breakdown), breakdown_table(breakdown));
    }
  };
  add(true);  // what users ask for first
  add(false);
  return section;
}

Section paper_section(const PaperScores& paper) {
  return Section::warning("The paper's protocol")
      .paragraph(fmt::format(
          "Not comparable with anything else on this page. The first {} queries, the query's own head no candidate, an "
          "entity outranks the answer only when the exponential of its score is larger by more than 0.001, mean rank "
          "from 0. For comparison with the paper's printed figures alone.",
          format_whole(paper.queries)))
      .paragraph(fmt::format("MRR {} · Hits@1 {} · Hits@3 {} · Hits@10 {} · MR {:.1f}", format_share(paper.mrr),
                             format_share(paper.hits_at_1), format_share(paper.hits_at_3),
                             format_share(paper.hits_at_10), paper.mean_rank));
}

Section certificate_section(const Certificate& certificate) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Certificate::Entry& entry : certificate.entries) {
    if (entry.shown != Certificate::Shown::json) entries.emplace_back(entry.label, to_string(entry.value));
  }
  return Section("Certificate").remark("What was measured, with what, and how.").entries(entries);
}

/// "WordNet's animals: a GRU query over a frozen language model", as far as the two have names.
std::string title_of(const Report& report) {
  const std::string model = to_string(report.certificate.at("model"));
  const std::string graph = report.graph.empty() ? report.run : report.graph;
  return model.empty() ? graph : graph + ": " + model;
}

}  // namespace

std::string to_html(const Report& report) {
  Page page(title_of(report),
            fmt::format("{}. Every triple of the {} split is asked from both ends, among all entities; other known "
                        "answers are left out, and ties count as their mean rank.",
                        shown(report.run), to_string(report.split)));
  page.add(result_section(report)).add(rules_section(report));
  if (!report.examples.empty()) page.add(examples_section(report));
  if (report.calibration) page.add(calibration_section(*report.calibration));
  if (!report.breakdowns.empty()) page.add(breakdowns_section(report));
  if (report.paper) page.add(paper_section(*report.paper));
  return page.add(certificate_section(report.certificate)).html();
}

}  // namespace hasa
