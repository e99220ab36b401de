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

/// "The right answer ranked first in 50% of 1,296 queries, and in the top ten in 86%."
std::string sentence(const Report& report) {
  const Metrics& m = report.scores.all;
  std::string words = fmt::format("The right answer ranked first in {} of {} queries, and in the top ten in {}.",
                                  percent(m.hits_at_1), format_whole(m.queries), percent(m.hits_at_10));
  const auto best = std::max_element(report.floors.begin(), report.floors.end(),
                                     [](const Floor& a, const Floor& b) { return a.metrics.mrr < b.metrics.mrr; });
  if (best != report.floors.end())
    words += fmt::format(" By comparison, {}: first in {}, in the top ten in {}.", best->name,
                         percent(best->metrics.hits_at_1), percent(best->metrics.hits_at_10));
  return words;
}

/// "Queries about entities unseen in training: MRR .321 (512 queries); the others: .584 (2,080)."
std::string novelty_words(const std::vector<Group>& novelty) {
  const Metrics& unseen = novelty.front().metrics;
  std::string words = fmt::format("Queries about entities unseen in training: MRR {} ({} queries",
                                  format_share(unseen.mrr), format_whole(unseen.queries));
  if (novelty.size() > 1)
    words += fmt::format("); the others: {} ({}", format_share(novelty.back().metrics.mrr),
                         format_whole(novelty.back().metrics.queries));
  return words + ").";
}

Section result_section(const Report& report) {
  const Metrics& m = report.scores.all;
  Section section;
  section.lead(sentence(report));
  section.cards(
      {{"MRR", format_share(m.mrr), "mean of 1 / rank; 95%: " + range(report.all.mrr)},
       {"Hits@1", format_share(m.hits_at_1), "answers ranked first; 95%: " + range(report.all.hits_at_1)},
       {"Hits@3", format_share(m.hits_at_3), "answers in the top three; 95%: " + range(report.all.hits_at_3)},
       {"Hits@10", format_share(m.hits_at_10), "answers in the top ten; 95%: " + range(report.all.hits_at_10)},
       {"Mean rank", fmt::format("{:.1f}", m.mean_rank),
        fmt::format("by chance {}; sensitive to a few bad ranks",
                    format_whole(std::lround(report.chance.mean_rank)))}});
  if (!report.novelty.empty()) section.paragraph(novelty_words(report.novelty));
  section.figure(beside_chart(report), "Mean of 1 / rank, all on the same queries; by chance it is almost zero.",
                 beside_table(report));
  section.figure(rank_chart(report), "% of queries; a column starts at the rank below it", rank_table(report));
  if (const auto curve = validation_chart(report))
    section.figure(*curve, "MRR on the validation split after each validated epoch", training_table(report));
  if (const auto curve = loss_chart(report)) section.figure(*curve, "mean over each epoch", training_table(report));
  return section;
}

Section calibration_section(const ReportedCalibration& calibration) {
  const Reliability& r = calibration.measured;
  Section section("What probabilities mean");
  section.remark(
      fmt::format("Over the ten best answers of each query, previously known ones filtered: the fraction of answers "
                  "with such a probability that is true. By {}, fitted on the validation split. For questions without "
                  "any answer, which are not among these, probabilities are too high.",
                  calibration.made_by));
  section.cards({{"Calibration error", format_share(r.calibration_error),
                  fmt::format("expected calibration error, over {} equal-mass bins; for first answers only {}",
                              r.bins.size(), format_share(calibration.of_first.calibration_error))},
                 {"Brier score", format_share(r.brier),
                  fmt::format("mean squared error of the probability; {} for always predicting the base rate",
                              format_share(r.brier_of_base_rate))},
                 {"True answers", percent(r.base_rate), fmt::format("of {} answers", format_whole(r.answers))}});
  return section.figure(reliability_chart(calibration), "a point per bin; on the dashed line the two agree",
                        reliability_table(calibration));
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
                  {{"", false, "best: lowest ranks; typical: around the median rank; worst: highest ranks"},
                   {"query", false, "? marks what is to be predicted"},
                   {"the right answer"},
                   {"its rank", true, "rank of the right answer among all entities, other known answers filtered"},
                   {"top answers of the model", false, "its top three, other known answers filtered"}},
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
      "Chosen by rank only: some of the best, some around the median, and the worst (at most two per relation and "
      "direction). The model's top answers may be right and missing from the graph.");
  return section.table(table);
}

Section rules_section(const Report& report) {
  PageTable table = metrics_table("Every rule");
  table.rows.push_back(metrics_row("tail asked", report.scores.tails, &report.tails.mrr));
  table.rows.push_back(metrics_row("head asked", report.scores.heads, &report.heads.mrr));
  for (const RuleMetrics& rule : report.rules)
    table.rows.push_back(
        metrics_row(fmt::format("{}, {}", to_string(rule.ties), to_string(rule.rivals)), rule.metrics, nullptr));
  return Section().fold("Each direction, and every rule for ties and filters; realistic, filtered is the result",
                        table);
}

Section breakdowns_section(const Report& report) {
  Section section("Breakdowns");
  section.remark(fmt::format(
      "MRR with its 95% interval, and the number of queries. Groups of fewer than {} queries are grey: too few to "
      "conclude from.{}",
      kFewQueries, report.floors.empty() ? "" : " The small markers are the baselines on the same queries."));
  const auto add = [&](bool relations) {
    for (const Breakdown& breakdown : report.breakdowns) {
      if ((breakdown.by == "relation") != relations || breakdown.groups.size() < 2) continue;
      section.figure(breakdown_chart(report, breakdown), breakdown_remark(breakdown), breakdown_table(breakdown));
    }
  };
  add(true);  // what readers look for first
  add(false);
  return section;
}

Section paper_section(const PaperScores& paper) {
  return Section::warning("The paper's protocol")
      .paragraph(fmt::format(
          "Not comparable with anything else on this page. The first {} queries; the query's own head is not a "
          "candidate; an entity outranks the answer only if the exponential of its score is larger by more than 0.001; "
          "the mean rank counts from 0. Only for comparison with the paper's printed figures.",
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
  return Section("Certificate").remark("What was measured and how.").entries(entries);
}

/// "WordNet's animals: a GRU query over a frozen language model", or as much of it as is known.
std::string title_of(const Report& report) {
  const std::string model = to_string(report.certificate.at("model"));
  const std::string graph = report.graph.empty() ? report.run : report.graph;
  return model.empty() ? graph : graph + ": " + model;
}

}  // namespace

std::string to_html(const Report& report) {
  Page page(title_of(report),
            fmt::format("{}. Head and tail prediction for every triple of the {} split, all entities as candidates; "
                        "other known answers are filtered, and ties count as their mean rank.",
                        shown(report.run), to_string(report.split)));
  page.add(result_section(report)).add(rules_section(report));
  if (!report.examples.empty()) page.add(examples_section(report));
  if (report.calibration) page.add(calibration_section(*report.calibration));
  if (!report.breakdowns.empty()) page.add(breakdowns_section(report));
  if (report.paper) page.add(paper_section(*report.paper));
  return page.add(certificate_section(report.certificate)).html();
}

}  // namespace hasa
