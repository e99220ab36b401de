#include "hasa/study/future_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "hasa/base/file.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/ranking.h"
#include "hasa/job/trained_run.h"
#include "hasa/page/number.h"
#include "hasa/study/seed_mean.h"

namespace hasa {
namespace {

using FormJson = nlohmann::ordered_json;

struct Form {
  std::string name, folder;
  std::vector<std::string> set;
};

std::vector<Form> forms(const FutureWorkConfig& config) {
  return {{kShortestPathForm, "paths", {"negatives.near=paths"}},
          {"HaSa, near by common neighbours", "common-neighbours", {"negatives.near=common_neighbours"}},
          {"HaSa, near by Adamic-Adar", "adamic-adar", {"negatives.near=adamic_adar"}},
          {"HaSa, near by personalised PageRank", "page-rank", {"negatives.near=page_rank"}},
          {kSimpleContextForm, "simple-contexts", {"loss.tail_to_query=true"}},
          {kHardContextForm, "hard-contexts",
           {"loss.tail_to_query=true", fmt::format("loss.context_beta={}", config.context_beta)}},
          {"Simple InfoNCE", "simple", {"loss.kind=simple"}},
          {"Hard InfoNCE", "hard", {"loss.kind=hard"}}};
}

FormJson test_figures(const std::filesystem::path& run, const StudyGraph& graph, const StudyContext& context) {
  const TrainedRun opened = open_trained(Run::open(run), graph.folder.string(), context.settings().device);
  const Metrics metrics = metrics_of(rank_split(*opened.scorer, *opened.graph, KnownAnswers::of_all_splits(*opened.graph),
                                                Split::test, {.show_progress = true}));
  return {{"mrr", metrics.mrr}, {"hits@1", metrics.hits_at_1}, {"hits@10", metrics.hits_at_10}};
}

/// Lines of metrics.jsonl; those without the figure, of older programs, are left out.
std::vector<InformationEpoch> information_epochs(const std::filesystem::path& metrics_jsonl) {
  std::vector<InformationEpoch> epochs;
  std::istringstream lines(read_file(metrics_jsonl));
  for (std::string line; std::getline(lines, line);) {
    const FormJson json = FormJson::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("information")) continue;
    InformationEpoch epoch{json.value("epoch", std::int64_t{0}), json.at("information").get<double>(), NAN};
    if (json.contains("valid")) epoch.valid_mrr = json.at("valid").at("all").at("mrr").get<double>();
    epochs.push_back(epoch);
  }
  return epochs;
}

std::vector<double> mrrs_of(const std::vector<FormResult>& results, const std::string& graph, const std::string& form) {
  std::map<std::int64_t, double> by_seed;
  for (const FormResult& each : results) {
    if (each.graph == graph && each.form == form) by_seed[each.seed] = each.mrr;
  }
  std::vector<double> values;
  for (const auto& [seed, mrr] : by_seed) values.push_back(mrr);
  return values;
}

std::set<std::string> graphs_of(const std::vector<FormResult>& results) {
  std::set<std::string> graphs;
  for (const FormResult& each : results) graphs.insert(each.graph);
  return graphs;
}

/// Test MRR of a form less that of another, seed by seed.
SeedMean gain_of(const std::vector<FormResult>& results, const std::string& graph, const std::string& form,
                 const std::string& over) {
  std::vector<double> gains = mrrs_of(results, graph, form);
  const std::vector<double> base = mrrs_of(results, graph, over);
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] -= base.at(i);
  return seed_mean(gains);
}

/// One seed alone decides nothing.
Agreement better_beyond_chance(const SeedMean& gain) {
  if (!gain.has_interval()) return Agreement::mixed;
  return gain.interval.low > 0 ? Agreement::agrees : gain.interval.high < 0 ? Agreement::disagrees : Agreement::mixed;
}

std::string words_of(const SeedMean& gain) {
  if (!gain.has_interval()) return fmt::format("{:+.4f} of one seed, which decides nothing", gain.mean);
  const Agreement found = better_beyond_chance(gain);
  return fmt::format("{:+.4f} ({:+.4f} to {:+.4f}): {}", gain.mean, gain.interval.low, gain.interval.high,
                     found == Agreement::agrees      ? "better beyond chance"
                     : found == Agreement::disagrees ? "worse beyond chance"
                                                     : "no difference beyond chance");
}

StudyFigure forms_figure(const std::vector<FormResult>& results, const std::string& graph, const std::vector<Form>& all) {
  BarChart chart{.text = {"forms-" + graph, "Test MRR of each form: " + graph,
                          "Mean over seeds of the test MRR of HaSa with four measures of nearness, of HaSa+ with simple "
                          "and hard contexts, and of Simple and Hard InfoNCE."},
                 .bars = {}};
  PageTable table{.caption = "Test MRR of each form on " + graph,
                  .columns = {{"form", false}, {"MRR", true}, {"Hit@1", true}, {"Hit@10", true}, {"over shortest path", true, "difference in MRR, seed by seed"}},
                  .rows = {}};
  for (const Form& form : all) {
    std::vector<double> mrr, first, ten;
    for (const FormResult& each : results) {
      if (each.graph != graph || each.form != form.name) continue;
      mrr.push_back(each.mrr), first.push_back(each.hits_at_1), ten.push_back(each.hits_at_10);
    }
    const SeedMean mean = seed_mean(mrr), gain = gain_of(results, graph, form.name, kShortestPathForm);
    Bar bar{.label = form.name, .value = mean.mean};
    if (mean.has_interval()) bar.interval = Interval{std::max(0.0, mean.interval.low), mean.interval.high};
    chart.bars.push_back(std::move(bar));
    table.rows.push_back({{{form.name},
                           {format_share(mean), mean.mean},
                           {format_share(seed_mean(first)), seed_mean(first).mean},
                           {format_share(seed_mean(ten)), seed_mean(ten).mean},
                           {fmt::format("{:+.4f}", gain.mean), gain.mean}}});
  }
  return {std::move(chart), "Mean over seeds with its 95% interval.", std::move(table)};
}

StudyFigure information_figure(const std::vector<InformationCurve>& curves, const std::string& graph) {
  XyChart chart{
      .text = {"information-" + graph, "log(1 + K) - loss along training: " + graph,
               "By epoch, of one seed of each loss: what the loss says of the mutual information of query and "
               "answer, in nats."},
      .x = {.label = "epoch", .whole = true},
      .y = {.label = "log(1 + K) - loss, nats"},
      .series = {}};
  PageTable table{.caption = "log(1 + K) - loss along training on " + graph,
                  .columns = {{"loss", false}, {"epoch", true}, {"nats", true}, {"valid MRR", true}},
                  .rows = {}};
  for (const InformationCurve& curve : curves) {
    if (curve.graph != graph || curve.seed != 1) continue;
    ChartSeries series{curve.form, {}};
    for (const InformationEpoch& each : curve.epochs) {
      series.points.push_back({static_cast<double>(each.epoch), each.information});
      table.rows.push_back({{{curve.form},
                             {fmt::format("{}", each.epoch), static_cast<double>(each.epoch)},
                             {fmt::format("{:.3f}", each.information), each.information},
                             {format_share(each.valid_mrr), each.valid_mrr}}});
    }
    chart.series.push_back(std::move(series));
    if (chart.levels.empty()) chart.levels = {{"entropy of the answers", curve.answer_entropy}};
  }
  return {std::move(chart), "Steps are counted as they were trained on, with dropout and the margin.", std::move(table)};
}

std::string forms_csv(const std::vector<FormResult>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const FormResult& each : results)
    rows.push_back({each.graph, each.form, std::to_string(each.seed), fmt::format("{:.6f}", each.mrr),
                    fmt::format("{:.6f}", each.hits_at_1), fmt::format("{:.6f}", each.hits_at_10)});
  return to_csv({"graph", "form", "seed", "mrr", "hits@1", "hits@10"}, rows);
}

std::string information_csv(const std::vector<InformationCurve>& curves) {
  std::vector<std::vector<std::string>> rows;
  for (const InformationCurve& curve : curves) {
    for (const InformationEpoch& each : curve.epochs)
      rows.push_back({curve.graph, curve.form, std::to_string(curve.seed), std::to_string(each.epoch),
                      fmt::format("{:.6f}", each.information), fmt::format("{:.6f}", each.valid_mrr),
                      fmt::format("{:.6f}", curve.answer_entropy)});
  }
  return to_csv({"graph", "form", "seed", "epoch", "information", "valid_mrr", "answer_entropy"}, rows);
}

StudyResult run_future_work(const FutureWorkConfig& config, StudyContext& context) {
  const std::vector<Form> all = forms(config);
  std::vector<FormResult> results;
  std::vector<InformationCurve> curves;
  StudyResult result{.title = "What the paper leaves for later", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::string runs;
  for (const StudyGraph& graph : context.graphs()) {
    const double entropy = answer_entropy(graph.open());
    for (std::int64_t seed = 1; seed <= config.seeds; ++seed) {
      for (const Form& form : all) {
        const StudyRun run =
            context.train(fmt::format("{}-{}-seed-{}", graph.name, form.folder, seed),
                          run_config_of(config.recipe, graph, static_cast<std::uint64_t>(seed), form.set));
        const std::string stamp = run.folder.filename().string();
        const FormJson test = context.piece("test-" + stamp, {{"run", stamp}}, [&] { return test_figures(run.folder, graph, context); });
        results.push_back({graph.name, form.name, seed, test.at("mrr"), test.at("hits@1"), test.at("hits@10")});
        curves.push_back({graph.name, form.name, seed, entropy, information_epochs(run.folder / Run::kMetrics)});
        if (seed == 1 && form.name == kShortestPathForm) runs += fmt::format(" {}: {} epochs a run.", graph.name, run.epochs);
      }
    }
    std::vector<InformationCurve> losses;
    for (const InformationCurve& each : curves) {
      if (each.form == kShortestPathForm || each.form.ends_with("InfoNCE")) losses.push_back(each);
    }
    result.figures.push_back(forms_figure(results, graph.name, all));
    result.tables.push_back(result.figures.back().numbers);
    result.figures.push_back(information_figure(losses, graph.name));
  }
  result.summary = fmt::format("Runs that differ in one thing, {} seeds each, ranked on the test split.{}", config.seeds, runs);
  std::erase_if(curves, [](const InformationCurve& each) { return !each.form.ends_with("InfoNCE"); });
  result.verdicts = {judge_alphas(results), judge_contexts(results), judge_information(curves)};
  result.files = {{"forms.csv", forms_csv(results)}, {"information.csv", information_csv(curves)}};
  return result;
}

}  // namespace

FutureWorkConfig FutureWorkConfig::of(StudySize size) {
  FutureWorkConfig config;
  config.recipe.set = {"loss.kind=hasa", "loss.beta=0.1", "loss.tau=1e-4", "model.context_layers=0"};
  const auto add = [&](std::initializer_list<const char*> set) {
    for (const char* each : set) config.recipe.set.emplace_back(each);
  };
  switch (size) {
    case StudySize::tiny:
      config.seeds = 1;
      add({"model.dim=16", "train.epochs=2", "train.batch=64"});
      break;
    case StudySize::quick:
      config.seeds = 2;
      add({"model.dim=64", "negatives.candidates=1024", "optimiser.lr=4e-3", "train.epochs=2", "train.batch=256"});
      break;
    case StudySize::full:
      config.recipe.config = "configs/{graph}_frozen-minilm.yaml";
      add({"loss.tail_to_query=false"});
      break;
  }
  return config;
}

double answer_entropy(const Graph& graph) {
  std::map<EntityId, double> counts;
  const std::vector<Triple> triples = with_inverses(graph.triples(Split::train), graph.relations());
  for (const Triple& triple : triples) counts[triple.tail] += 1;
  double entropy = 0;
  for (const auto& [tail, count] : counts) {
    const double share = count / static_cast<double>(triples.size());
    entropy -= share * std::log(share);
  }
  return entropy;
}

Verdict judge_alphas(const std::vector<FormResult>& results) {
  std::vector<Agreement> findings;
  std::string words;
  for (const std::string& graph : graphs_of(results)) {
    std::set<std::string> others;
    for (const FormResult& each : results) {
      if (each.graph == graph && each.form.starts_with("HaSa, near by ") && each.form != kShortestPathForm) others.insert(each.form);
    }
    for (const std::string& form : others) {
      const SeedMean gain = gain_of(results, graph, form, kShortestPathForm);
      findings.push_back(better_beyond_chance(gain));
      words += fmt::format("{}On {}, {} instead of the shortest path changes the test MRR by {}.", words.empty() ? "" : " ",
                           graph, form.substr(form.find("by ") + 3), words_of(gain));
    }
  }
  return {.claim = 20, .agreement = overall(findings), .sentence = words};
}

Verdict judge_contexts(const std::vector<FormResult>& results) {
  std::vector<Agreement> findings;
  std::string words;
  for (const std::string& graph : graphs_of(results)) {
    const SeedMean gain = gain_of(results, graph, kHardContextForm, kSimpleContextForm);
    findings.push_back(better_beyond_chance(gain));
    words += fmt::format("{}On {}, hard contexts instead of simple ones change the test MRR of HaSa+ by {}.",
                         words.empty() ? "" : " ", graph, words_of(gain));
  }
  return {.claim = 21, .agreement = overall(findings), .sentence = words};
}

Verdict judge_information(const std::vector<InformationCurve>& curves) {
  std::vector<Agreement> findings;
  std::int64_t rising = 0, below = 0, counted = 0;
  double least = INFINITY, most = -INFINITY;
  for (const InformationCurve& curve : curves) {
    if (curve.epochs.size() < 2) continue;
    ++counted;
    const double last = curve.epochs.back().information;
    const bool rises = last > curve.epochs.front().information;
    const bool bounded = std::ranges::all_of(curve.epochs, [&](const auto& each) { return each.information <= curve.answer_entropy; });
    rising += rises ? 1 : 0;
    below += bounded ? 1 : 0;
    least = std::min(least, last / curve.answer_entropy);
    most = std::max(most, last / curve.answer_entropy);
    findings.push_back(rises && bounded ? Agreement::agrees : rises || bounded ? Agreement::mixed : Agreement::disagrees);
  }
  if (findings.empty())
    return {.claim = 18, .agreement = Agreement::mixed, .sentence = "No run is two epochs long, so nothing can be said of how the bound moves."};
  return {.claim = 18,
          .agreement = overall(findings),
          .sentence = fmt::format(
              "log(1 + K) - loss rises from the first epoch to the last in {} of {} runs of Simple and Hard InfoNCE and "
              "stays below the entropy of the answers, which no information can exceed, in {}; it ends at {:.0f}% to "
              "{:.0f}% of it.",
              rising, counted, below, 100 * least, 100 * most)};
}

Study future_work_study() {
  return make_study<FutureWorkConfig>(
      "future-work",
      "other graph measures as HaSa's alpha, hard contexts in HaSa+, and the information bound along training",
      run_future_work);
}

}  // namespace hasa
