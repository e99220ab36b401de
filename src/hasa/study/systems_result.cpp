// What the table of systems says of the paper's claims.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "hasa/base/error.h"
#include "hasa/page/number.h"
#include "hasa/study/paper_figures.h"
#include "hasa/study/systems_study.h"

namespace hasa {
namespace {

constexpr const char* kHasaRow = "HaSa";
constexpr const char* kHasaPlusRow = "HaSa+";
constexpr const char* kRotatERow = "RotatE";

using RowFilter = std::function<bool(const SystemRow&)>;

const SystemRow* find_row(const SystemsTable& table, const std::string& name) {
  const auto found = std::ranges::find_if(table.rows, [&](const SystemRow& row) { return row.runs.name == name; });
  return found == table.rows.end() ? nullptr : &*found;
}

const Metrics& test_of(const SystemRow& row) { return row.runs.seeds.at(0).test; }

double metric_of(const SystemRow& row, RankMetric metric) {
  const Metrics& test = test_of(row);
  switch (metric) {
    case RankMetric::mrr: return test.mrr;
    case RankMetric::hits_at_1: return test.hits_at_1;
    case RankMetric::hits_at_3: return test.hits_at_3;
    case RankMetric::hits_at_10: return test.hits_at_10;
  }
  return 0;
}

std::vector<const SystemRow*> rows_where(const SystemsTable& table, const RowFilter& wanted) {
  std::vector<const SystemRow*> rows;
  for (const SystemRow& row : table.rows) {
    if (wanted(row)) rows.push_back(&row);
  }
  return rows;
}

const SystemRow* best_of(const std::vector<const SystemRow*>& rows, RankMetric metric) {
  const auto value = [&](const SystemRow* row) { return metric_of(*row, metric); };
  return rows.empty() ? nullptr : *std::ranges::max_element(rows, {}, value);
}

double median(std::vector<double> values) {
  HASA_ASSERT(!values.empty());
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_of(const std::vector<const SystemRow*>& rows, double Metrics::* metric) {
  std::vector<double> values;
  for (const SystemRow* row : rows) values.push_back(test_of(*row).*metric);
  return median(values);
}

Agreement holds(bool it) { return it ? Agreement::agrees : Agreement::disagrees; }

bool is_other_text(const SystemRow& row) { return row.kind == SystemKind::text; }
bool is_classic(const SystemRow& row) { return row.kind == SystemKind::classic; }
bool reads_text(const SystemRow& row) { return row.kind != SystemKind::classic; }

/// ".538 (Hits@1 of HaSa+), +.062 beside RotatE (95% ...)": of `row` beside the best of `rivals`.
std::string beside_words(const SystemRow& row, const SystemRow& rival, RankMetric metric,
                         const Difference& difference) {
  return fmt::format("{} {} {} beside {}'s {}: {} (95% {} to {}, {})", row.runs.name, to_string(metric),
                     format_share(difference.b), rival.runs.name, format_share(difference.a),
                     signed_share(difference.b_minus_a), signed_share(difference.interval.low),
                     signed_share(difference.interval.high), p_words(difference.p_value));
}

/// Which of the paper's systems the table lacks, as a sentence, or "".
std::string missing_words(const SystemsTable& table) {
  std::vector<std::string> missing;
  for (const char* name : {"TransE", "RotatE", "DistMult", "ComplEx", "KBGAN", "KG-BERT", "StAR", "LASS"}) {
    if (find_row(table, name) == nullptr) missing.emplace_back(name);
  }
  return missing.empty() ? "" : fmt::format(" Not among them: {}.", fmt::join(missing, ", "));
}

std::optional<TableCell> paper_cell(const std::optional<double>& value, bool is_rank) {
  if (!value) return std::nullopt;
  return TableCell{is_rank ? format_whole(static_cast<std::int64_t>(*value)) : format_share(*value), *value};
}

const char* kind_words(SystemKind kind) {
  switch (kind) {
    case SystemKind::classic: return "no language model";
    case SystemKind::text: return "language model";
    case SystemKind::hasa: return "language model, ours";
  }
  return "";
}

PageTable paper_table(const SystemsTable& table) {
  PageTable shown{fmt::format("Beside the paper's Table 3 on {}", table.graph),
                  {{"", false},
                   {"kind", false},
                   {"MR", true},
                   {"paper's MR", true},
                   {"MRR", true},
                   {"paper's MRR", true},
                   {"Hits@1", true},
                   {"paper's Hits@1", true},
                   {"Hits@10", true},
                   {"paper's Hits@10", true},
                   {"queries", true, "ranked; fewer than all where ranking all would take too long"}},
                  {}};
  const TableCell none{"–"};
  for (const SystemRow& row : table.rows) {
    const Metrics& test = test_of(row);
    const PaperMetrics paper = paper_metrics(row.runs.name, table.graph).value_or(PaperMetrics{});
    shown.rows.push_back({{{row.runs.name},
                           {kind_words(row.kind)},
                           {fmt::format("{:.0f}", test.mean_rank), test.mean_rank},
                           paper_cell(paper.mean_rank, true).value_or(none),
                           {format_share(test.mrr), test.mrr},
                           paper_cell(paper.mrr, false).value_or(none),
                           {format_share(test.hits_at_1), test.hits_at_1},
                           paper_cell(paper.hits_at_1, false).value_or(none),
                           {format_share(test.hits_at_10), test.hits_at_10},
                           paper_cell(paper.hits_at_10, false).value_or(none),
                           {format_whole(test.queries), static_cast<double>(test.queries)}}});
  }
  return shown;
}

std::vector<Verdict> verdicts_on(const SystemsTable& table) {
  std::vector<Verdict> verdicts;
  const bool has_plus = find_row(table, kHasaPlusRow) != nullptr,
             has_both = has_plus && find_row(table, kHasaRow) != nullptr;
  const bool has_kinds = !rows_where(table, is_classic).empty() && !rows_where(table, is_other_text).empty();
  // What the paper says of one of its graphs is not asked of the other; on any third graph both stand in.
  if (has_plus && table.rows.size() > 1 && table.graph != "FB15k-237") verdicts.push_back(judge_best_system(table));
  if (has_both && has_kinds) verdicts.push_back(judge_language_models(table));
  if (has_both && has_kinds && find_row(table, kRotatERow) != nullptr && table.graph != "WN18RR")
    verdicts.push_back(judge_behind_rotate(table));
  return verdicts;
}

}  // namespace

Verdict judge_best_system(const SystemsTable& table) {
  const SystemRow* plus = find_row(table, kHasaPlusRow);
  const auto others = rows_where(table, [](const SystemRow& row) { return row.runs.name != kHasaPlusRow; });
  HASA_CHECK(plus != nullptr && !others.empty(), data, "{} has no {} beside other systems", table.graph, kHasaPlusRow);
  std::vector<Agreement> findings;
  std::string sentence;
  for (const RankMetric metric :
       {RankMetric::mrr, RankMetric::hits_at_1, RankMetric::hits_at_3, RankMetric::hits_at_10}) {
    const SystemRow& rival = *best_of(others, metric);
    const Difference difference = difference_of(rival, *plus, metric);
    findings.push_back(is_better(difference));
    sentence += (sentence.empty() ? "" : "; ") + beside_words(*plus, rival, metric, difference);
  }
  const auto best = std::ranges::count(findings, Agreement::agrees);
  return {
      7, overall(findings),
      fmt::format("On {}, beside the best of {} other systems in each metric: {}. HaSa+ is the best beyond chance in "
                  "{} of 4.{}",
                  table.graph, others.size(), sentence, best, missing_words(table))};
}

Verdict judge_language_models(const SystemsTable& table) {
  const auto classic = rows_where(table, is_classic), text = rows_where(table, is_other_text),
             all_text = rows_where(table, reads_text);
  HASA_CHECK(!classic.empty() && !text.empty(), data, "{} needs systems with and without a language model",
             table.graph);
  const double classic_rank = median_of(classic, &Metrics::mean_rank),
               text_rank = median_of(all_text, &Metrics::mean_rank);
  const double classic_first = median_of(classic, &Metrics::hits_at_1),
               text_first = median_of(text, &Metrics::hits_at_1);
  std::vector<Agreement> findings{holds(text_rank < classic_rank), holds(text_first < classic_first)};
  std::string made_up;
  const SystemRow& rival = *best_of(text, RankMetric::hits_at_1);
  for (const char* name : {kHasaRow, kHasaPlusRow}) {
    const SystemRow* row = find_row(table, name);
    HASA_CHECK(row != nullptr, data, "{} has no {}", table.graph, name);
    const Difference difference = difference_of(rival, *row, RankMetric::hits_at_1);
    findings.push_back(is_better(difference));
    made_up += (made_up.empty() ? "" : "; ") + beside_words(*row, rival, RankMetric::hits_at_1, difference);
  }
  return {
      8, overall(findings),
      fmt::format("On {}, the median mean rank is {:.0f} with a language model and {:.0f} without one, which is {}; "
                  "the median Hits@1 of the other language models is {} and without one {}, which is {}. {}.",
                  table.graph, text_rank, classic_rank, text_rank < classic_rank ? "better" : "no better",
                  format_share(text_first), format_share(classic_first),
                  text_first < classic_first ? "worse" : "no worse", made_up)};
}

Verdict judge_behind_rotate(const SystemsTable& table) {
  const SystemRow *hasa = find_row(table, kHasaRow), *plus = find_row(table, kHasaPlusRow),
                  *rotate = find_row(table, kRotatERow);
  const auto text = rows_where(table, is_other_text);
  HASA_CHECK(hasa != nullptr && plus != nullptr && rotate != nullptr && !text.empty(), data,
             "{} needs HaSa, HaSa+, RotatE and another system with a language model", table.graph);
  const SystemRow& rival = *best_of(text, RankMetric::mrr);
  std::vector<Agreement> findings;
  std::string sentence;
  const auto add = [&](const SystemRow& row, const SystemRow& beside, RankMetric metric, bool should_be_better) {
    const Difference difference = difference_of(beside, row, metric);
    const Agreement better = is_better(difference);
    findings.push_back(holds((better == Agreement::agrees) == should_be_better));
    sentence += (sentence.empty() ? "" : "; ") + beside_words(row, beside, metric, difference);
  };
  for (const SystemRow* row : {hasa, plus}) add(*row, rival, RankMetric::mrr, true);
  for (const SystemRow* row : {hasa, plus}) add(*rotate, *row, RankMetric::mrr, true);
  add(*plus, *hasa, RankMetric::hits_at_10, true);
  add(*plus, *hasa, RankMetric::mrr, false);
  const auto held = std::ranges::count(findings, Agreement::agrees);
  return {9, overall(findings),
          fmt::format("On {}: {}. Parts of the claim that hold: {} of 6.{}", table.graph, sentence, held,
                      missing_words(table))};
}

StudyResult systems_result(const std::vector<SystemsTable>& tables) {
  StudyResult result{.title = "Systems", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::vector<std::string> parts;
  for (const SystemsTable& table : tables) {
    std::vector<SeededRuns> runs;
    double seconds = 0;
    for (const SystemRow& row : table.rows) {
      runs.push_back(row.runs);
      seconds += row.runs.seeds.at(0).seconds;
    }
    const std::string id = "systems-" + table.graph;
    const PageTable beside = paper_table(table);
    result.figures.push_back({runs_chart({id, "Test MRR by system on " + table.graph,
                                          "Bars of MRR on the test split with their 95% intervals"},
                                         runs),
                              "with its 95% interval over test triples", beside});
    result.tables.push_back(beside);
    result.tables.push_back(runs_table("Systems on " + table.graph, runs));
    result.files.push_back(runs_csv(id + ".csv", table.graph, runs));
    for (Verdict& verdict : verdicts_on(table)) result.verdicts.push_back(std::move(verdict));
    parts.push_back(fmt::format("{}: {} systems, {:.0f} s of training here", table.graph, table.rows.size(), seconds));
  }
  result.summary = fmt::format(
      "Every system is ranked by the same protocol: all entities are candidates, known answers are filtered, ties "
      "count "
      "by their mean rank. One seed each. {}.",
      fmt::join(parts, "; "));
  return result;
}

}  // namespace hasa
