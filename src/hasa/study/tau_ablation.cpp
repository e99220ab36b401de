#include "hasa/study/tau_ablation.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr const char* kPlain = "HaSa";

double tau_of(const std::string& text) {
  char* end = nullptr;
  const double tau = std::strtod(text.c_str(), &end);
  HASA_CHECK(!text.empty() && *end == '\0' && tau >= 0 && tau < 1, config, "taus: {} is no share of the negatives",
             text);
  return tau;
}

StudyResult run_tau_ablation(const TauAblationConfig& config, StudyContext& context) {
  for (const std::string& tau : config.taus)
    HASA_CHECK(tau_of(tau) > 0, config, "taus: 0 is always among the runs; name values above it");
  std::vector<TauRow> rows;
  for (const StudyGraph& graph : context.graphs()) {
    for (const bool plus : {false, true}) {
      TauRow row{graph.name, plus ? "HaSa+" : kPlain, {}};
      std::vector<std::string> taus{"0"};
      taus.insert(taus.end(), config.taus.begin(), config.taus.end());
      for (const std::string& tau : taus) {
        const std::vector<std::string> options{"loss.kind=hasa", fmt::format("loss.tail_to_query={}", plus),
                                               "loss.tau=" + tau};
        SeededRuns runs = train_seeds(context, config.recipe, graph, row.loss, options, config.seeds);
        runs.name = tau;
        row.taus.push_back(std::move(runs));
      }
      rows.push_back(std::move(row));
    }
  }
  return tau_ablation_result(rows);
}

const SeededRuns& best_by(const TauRow& row, double Metrics::* metric) {
  return *std::ranges::max_element(row.taus, {}, [&](const SeededRuns& runs) { return over_seeds(runs, metric).mean; });
}

/// The paper's best value, and which of its claims says so.
struct PaperTau {
  int claim;
  double tau;
};
PaperTau paper_tau(const std::string& graph) { return graph == "FB15k-237" ? PaperTau{13, 1e-4} : PaperTau{12, 2e-5}; }

/// The claim holds where both metrics are best at the paper's value and better there than at 0.
Verdict tau_verdict(const TauRow& row) {
  const PaperTau paper = paper_tau(row.graph);
  const SeededRuns &by_mrr = best_by(row, &Metrics::mrr), &by_hits = best_by(row, &Metrics::hits_at_10);
  const Difference gain = difference_over_seeds(row.taus.front(), by_mrr, RankMetric::mrr);
  const bool is_there = tau_of(by_mrr.name) == paper.tau, is_there_too = tau_of(by_hits.name) == paper.tau;
  const bool matters = is_better(gain) == Agreement::agrees;
  const auto agreement = is_there && is_there_too && matters     ? Agreement::agrees
                         : matters && (is_there || is_there_too) ? Agreement::mixed
                                                                 : Agreement::disagrees;
  std::string sentence =
      fmt::format("On {}, {} has its best MRR, {}, at tau = {} and its best Hits@10, {}, at tau = {}. ", row.graph,
                  row.loss, words(over_seeds(by_mrr, &Metrics::mrr)), by_mrr.name,
                  words(over_seeds(by_hits, &Metrics::hits_at_10)), by_hits.name);
  if (&by_mrr == &row.taus.front()) {
    sentence += "No tau above 0 does better than none at all.";
  } else {
    sentence += fmt::format("Beside tau = 0 that is {} of MRR (95% {} to {}, {}): {}.", signed_share(gain.b_minus_a),
                            signed_share(gain.interval.low), signed_share(gain.interval.high), p_words(gain.p_value),
                            matters ? "a gain" : "no gain that the test can tell from none");
  }
  return {paper.claim, agreement, sentence};
}

XyChart tau_chart(const std::vector<const TauRow*>& rows, double Metrics::* metric, const char* name, const char* id) {
  const std::string& graph = rows.front()->graph;
  XyChart chart{.text = {fmt::format("tau-{}-{}", id, graph), fmt::format("{} by tau on {}", name, graph),
                         fmt::format("A line for HaSa and one for HaSa+: {} on the test split for each tau", name)},
                .x = {.label = "tau", .logarithmic = true},
                .y = {.label = name},
                .series = {},
                .levels = {}};
  for (const TauRow* row : rows) {
    ChartSeries series{row->loss, {}};
    for (const SeededRuns& runs : row->taus) {
      const SeedMean value = over_seeds(runs, metric);
      if (&runs == &row->taus.front()) {
        chart.levels.push_back({row->loss + ", tau = 0:", value.mean});
        continue;
      }
      series.points.push_back({tau_of(runs.name), value.mean, spread(value),
                               fmt::format("tau = {}, {} {}", runs.name, name, words(value))});
    }
    std::ranges::sort(series.points, {}, &ChartPoint::x);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

TauAblationConfig TauAblationConfig::of(StudySize size) {
  TauAblationConfig config;
  config.taus = {"1e-6", "2e-5", "5e-5", "1e-4", "5e-4", "1e-3", "2e-3"};  // both of the paper's grids
  switch (size) {
    case StudySize::tiny:
      config.recipe.set = {"model.dim=16",   "model.context_layers=0", "optimiser.lr=5e-3",
                           "train.epochs=1", "train.batch=256",        "loss.beta=0.3"};
      config.taus = {"2e-5", "1e-2"};
      config.seeds = 1;
      break;
    case StudySize::quick:
      config.recipe = quick_recipe({"loss.beta=0.1"});
      config.taus = {"2e-5", "1e-2"};
      config.seeds = 2;
      break;
    case StudySize::full: config.recipe.config = "configs/{graph}_study-frozen.yaml"; break;
  }
  return config;
}

StudyResult tau_ablation_result(const std::vector<TauRow>& rows) {
  StudyResult result{.title = "The share tau", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  double seconds = 0;
  std::size_t runs = 0;
  for (auto row = rows.begin(); row != rows.end();) {
    std::vector<const TauRow*> of_graph;
    std::vector<SeededRuns> all;
    for (; row != rows.end() && (of_graph.empty() || row->graph == of_graph.front()->graph); ++row) {
      of_graph.push_back(&*row);
      for (SeededRuns each : row->taus) {
        each.name = fmt::format("{}, tau = {}", row->loss, each.name);
        for (const SeededRun& run : each.seeds) seconds += run.seconds;
        runs += each.seeds.size();
        all.push_back(std::move(each));
      }
      if (row->loss == kPlain) result.verdicts.push_back(tau_verdict(*row));
    }
    const std::string& graph = of_graph.front()->graph;
    const PageTable table = runs_table("Runs by tau on " + graph, all);
    const char* remark = "test split; mean and standard deviation over the seeds; at tau = 0 HaSa is Hard InfoNCE";
    result.figures.push_back({tau_chart(of_graph, &Metrics::mrr, "MRR", "mrr"), remark, table});
    result.figures.push_back({tau_chart(of_graph, &Metrics::hits_at_10, "Hits@10", "hits-at-10"), remark, table});
    result.tables.push_back(table);
    result.files.push_back(runs_csv("tau-" + graph + ".csv", graph, all));
  }
  result.summary =
      fmt::format("{} runs, {:.0f} s of training in all; the lines' intervals are standard deviations.", runs, seconds);
  return result;
}

Study tau_ablation_study() {
  return make_study<TauAblationConfig>("tau", "HaSa and HaSa+ for several values of tau", run_tau_ablation);
}

}  // namespace hasa
