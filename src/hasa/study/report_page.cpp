#include "hasa/study/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/shown_text.h"
#include "hasa/eval/report_charts.h"
#include "hasa/page/page.h"
#include "hasa/study/run_study.h"
#include "hasa/study/studies.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

bool is_finished_study(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kStudyResultFile, ignored);
}

FinishedStudy read_study(const fs::path& folder) {
  const fs::path file = folder / kStudyResultFile;
  const auto json = nlohmann::ordered_json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  HASA_CHECK(!json.is_discarded(), data, "{} is damaged\nrun the study again: what is finished is not computed anew",
             file.string());
  try {
    return {fs::absolute(folder).lexically_normal().filename().string(), study_result_from_json(json)};
  } catch (const Error& error) {
    fail(error.kind(), "{}: {}", file.string(), error.what());
  }
}

std::size_t place_of(const std::string& study) {
  const auto all = studies();
  return static_cast<std::size_t>(std::ranges::find(all, study, &Study::name) - all.begin());
}

/// Ids of figures are the anchors of a page and must differ, whatever is bound together.
class FigureIds {
 public:
  Chart with_own_id(Chart chart) {
    std::visit(
        [&](auto& each) {
          const int count = ++seen_[each.text.id];
          if (count > 1) each.text.id += fmt::format("-{}", count);
        },
        chart);
    return chart;
  }

 private:
  std::map<std::string, int> seen_;
};

std::string form_words(const StudyResult& result) {
  if (result.size.empty()) return "";
  return fmt::format("The {} form on {}. ", result.size, fmt::join(result.graphs, ", "));
}

Section study_section(const FinishedStudy& study, FigureIds& ids) {
  const StudyResult& result = study.result;
  Section section(result.title);
  section.remark(form_words(result) + result.summary);
  for (const Verdict& verdict : result.verdicts)
    section.paragraph(
        fmt::format("{} Claim {}: {}.", verdict.sentence, verdict.claim, to_string(mark_of(verdict.agreement))));
  for (const StudyFigure& figure : result.figures)
    section.figure(ids.with_own_id(figure.chart), figure.remark, figure.numbers);
  for (const PageTable& table : result.tables) section.fold(table.caption, table);
  if (!result.files.empty()) {
    std::string files;
    for (const StudyFile& file : result.files) files += (files.empty() ? "" : ", ") + file.name;
    section.remark(fmt::format("Its data, in the folder {}: {}.", shown(study.name), files));
  }
  return section;
}

std::vector<ClaimEvidence> evidence_of(const std::vector<FinishedStudy>& studies) {
  std::vector<ClaimEvidence> evidence;
  for (const FinishedStudy& study : studies) {
    for (const Verdict& verdict : study.result.verdicts)
      evidence.push_back({study.name, study.result.size, study.result.graphs, verdict});
  }
  return evidence;
}

std::string claims_summary(const std::vector<MarkedClaim>& claims) {
  return fmt::format("Of the paper's {} claims: {}.", claims.size(), count_words(claims));
}

Section claims_section(const std::vector<FinishedStudy>& studies) {
  const std::vector<MarkedClaim> claims = mark_claims(evidence_of(studies));
  const auto stand_ins = std::ranges::count(claims, true, &MarkedClaim::stands_in);
  Section section("What the paper claims");
  section.lead(claims_summary(claims));
  if (stand_ins > 0)
    section.paragraph(fmt::format(
        "{} of these marks come from other graphs than the paper's or from shortened runs. They show what the study "
        "measures, and say nothing of the paper's figures.",
        stand_ins));
  section.remark(
      "Marks are made from the data of the studies on this page: confirmed where all findings agree, not "
      "confirmed where none does, mixed otherwise.");
  return section.entries(claim_entries(claims)).fold("The claims as a table", claims_table(claims));
}

std::string range_of(const Interval& interval) {
  return fmt::format("95%: {} to {}", format_share(interval.low), format_share(interval.high));
}

/// Its folder's name: paths are too long for labels.
std::string run_name(const Report& report) {
  fs::path folder = fs::path(report.run).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  return shown(folder.filename().string());
}

Section runs_section(const std::vector<Report>& runs) {
  PageTable table = metrics_table("Runs");
  BarChart chart{{"runs", "MRR of each run", "Bars of MRR with 95% intervals"}, {}, {}};
  for (const Report& run : runs) {
    table.rows.push_back(metrics_row(run_name(run), run.scores.all, &run.all.mrr));
    chart.bars.push_back({.label = run_name(run), .value = run.scores.all.mrr, .interval = run.all.mrr});
  }
  Section section("Runs");
  section.remark("Ranks are filtered and realistic. Runs on different graphs or splits are not to be compared.");
  return section.figure(chart, "with 95% intervals, by bootstrap over test triples", table).table(table);
}

Section run_section(const Report& run, FigureIds& ids) {
  const Metrics& m = run.scores.all;
  Section section(run_name(run));
  section.remark(fmt::format("{} split{}{}", to_string(run.split), run.graph.empty() ? "" : " of ", shown(run.graph)));
  section.cards(
      {{"MRR", format_share(m.mrr), range_of(run.all.mrr)},
       {"Hits@1", format_share(m.hits_at_1), range_of(run.all.hits_at_1)},
       {"Hits@3", format_share(m.hits_at_3), range_of(run.all.hits_at_3)},
       {"Hits@10", format_share(m.hits_at_10), range_of(run.all.hits_at_10)},
       {"Mean rank", fmt::format("{:.1f}", m.mean_rank), fmt::format("by chance {:.0f}", run.chance.mean_rank)}});
  section.figure(ids.with_own_id(rank_chart(run)), "% of queries; a column begins at the rank below it",
                 rank_table(run));
  if (const auto curve = validation_chart(run))
    section.figure(ids.with_own_id(*curve), "MRR on the validation split after each epoch that was validated",
                   training_table(run));
  if (const auto curve = loss_chart(run))
    section.figure(ids.with_own_id(*curve), "mean of each epoch", training_table(run));
  if (run.calibration)
    section.figure(ids.with_own_id(reliability_chart(*run.calibration)),
                   "what came true beside the probability given; on the dashed line the two agree",
                   reliability_table(*run.calibration));
  section.subheading("Certificate");
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Certificate::Entry& entry : run.certificate.entries) {
    if (entry.shown != Certificate::Shown::json) entries.emplace_back(entry.label, to_string(entry.value));
  }
  return section.entries(entries);
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::vector<FinishedStudy> read_studies(const fs::path& folder) {
  if (is_finished_study(folder)) return {read_study(folder)};
  std::vector<FinishedStudy> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(folder, ignored)) {
    if (is_finished_study(each.path())) found.push_back(read_study(each.path()));
  }
  std::ranges::sort(found, {}, [](const FinishedStudy& each) { return std::pair(place_of(each.name), each.name); });
  return found;
}

std::string claims_words(const std::vector<FinishedStudy>& studies) {
  return claims_summary(mark_claims(evidence_of(studies)));
}

std::string to_html(const BoundReport& report) {
  std::string lead;
  if (!report.studies.empty()) lead = counted(report.studies.size(), "study of the paper", "studies of the paper");
  if (!report.runs.empty()) lead += (lead.empty() ? "" : " and ") + counted(report.runs.size(), "run", "runs");
  Page page(report.studies.empty() ? "Runs of hasa" : "The paper, re-run",
            lead + ", each with its figures and numbers.");
  FigureIds ids;
  if (!report.studies.empty()) page.add(claims_section(report.studies));
  for (const FinishedStudy& study : report.studies) page.add(study_section(study, ids));
  if (!report.runs.empty()) page.add(runs_section(report.runs));
  for (const Report& run : report.runs) page.add(run_section(run, ids));
  return page.html();
}

}  // namespace hasa
