#include "hasa/study/false_negatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"
#include "hasa/base/progress.h"
#include "hasa/job/trained_run.h"
#include "hasa/page/number.h"
#include "hasa/study/batch_negatives.h"
#include "hasa/study/hold_out.h"
#include "hasa/study/seed_mean.h"

namespace hasa {
namespace {

using CountJson = nlohmann::ordered_json;

std::vector<std::int64_t> sizes_in(const std::vector<std::string>& words) {
  std::vector<std::int64_t> sizes;
  for (const std::string& word : words) {
    const auto size = number_in<std::int64_t>(word);
    HASA_CHECK(size && *size > 1, config, "batches: \"{}\" is no size of a batch, expected 2 or more", word);
    sizes.push_back(*size);
  }
  HASA_CHECK(!sizes.empty(), config, "batches is empty, expected sizes such as 64, 128");
  return sizes;
}

FalseNegativeCount count_draws(const TrainedRun& run, std::int64_t batch, std::uint64_t seed,
                               const StudyContext& context) {
  Progress progress(fmt::format("drawing, batches of {}", batch), 2 * run.graph->triples(Split::train).size(), "triples");
  return count_false_negatives(*run.scorer, *run.graph, batch, seed, [&] {
    progress.advance();
    context.stop_if_asked();
  });
}

CountJson json_of(const FalseNegativeCount& count) {
  return {{"draws", count.draws}, {"simple", count.simple}, {"hard", count.hard}};
}

using CountGroups = std::map<std::pair<std::string, std::int64_t>, std::vector<FalseNegativeCount>>;

CountGroups by_graph_and_batch(const std::vector<FalseNegativeCount>& counts) {
  CountGroups groups;
  for (const FalseNegativeCount& each : counts) groups[{each.graph, each.batch}].push_back(each);
  return groups;
}

template <class Value>
SeedMean mean_of(const std::vector<FalseNegativeCount>& group, const Value& value) {
  std::vector<double> values;
  for (const FalseNegativeCount& each : group) values.push_back(value(each));
  return seed_mean(values);
}
double simple_count(const FalseNegativeCount& each) { return static_cast<double>(each.simple); }
double hard_count(const FalseNegativeCount& each) { return static_cast<double>(each.hard); }

/// Seeds are paired: both samplers drew for the same triples with the same run. A single seed is judged by its counts
/// as those of rare events.
Interval hard_minus_simple(const std::vector<FalseNegativeCount>& group) {
  const SeedMean difference = mean_of(group, [](const auto& each) { return hard_count(each) - simple_count(each); });
  if (difference.has_interval()) return difference.interval;
  const double half = 1.96 * std::sqrt(simple_count(group[0]) + hard_count(group[0]));
  return {difference.mean - half, difference.mean + half};
}

StudyFigure figure_of(const std::string& graph, const CountGroups& groups) {
  XyChart chart{.text = {"false-negatives-" + graph, "False negatives by sampler: " + graph,
                         "How many held-out truths are among the negatives drawn for all training triples, for simple "
                         "and hard negatives, by the number of negatives of a triple."},
                .x = {.label = "negatives of a triple, K = 2|B| - 1", .logarithmic = true},
                .y = {.label = "false negatives drawn", .logarithmic = false, .low = 0},
                .series = {{"simple", {}}, {"hard", {}}}};
  StudyFigure figure{.chart = {}, .remark = "Mean over seeds with its 95% interval.", .numbers = {}};
  figure.numbers = {.caption = "False negatives by sampler on " + graph,
                    .columns = {{"|B|", true},
                                {"K", true},
                                {"simple", true, "held-out truths among the simple negatives, mean over seeds"},
                                {"hard", true, "held-out truths among the hard negatives, mean over seeds"},
                                {"simple, per mille", true, "of the negatives drawn"},
                                {"hard, per mille", true, "of the negatives drawn"},
                                {"hard / simple", true}},
                    .rows = {}};
  for (const auto& [key, group] : groups) {
    if (key.first != graph) continue;
    const SeedMean simple = mean_of(group, simple_count), hard = mean_of(group, hard_count);
    const SeedMean draws = mean_of(group, [](const auto& each) { return static_cast<double>(each.draws); });
    const auto k = static_cast<double>(group[0].negatives());
    chart.series[0].points.push_back({k, simple.mean, simple.has_interval() ? std::optional(simple.interval) : std::nullopt});
    chart.series[1].points.push_back({k, hard.mean, hard.has_interval() ? std::optional(hard.interval) : std::nullopt});
    const double ratio = hard.mean / simple.mean;
    figure.numbers.rows.push_back(
        {{{fmt::format("{}", key.second), static_cast<double>(key.second)},
          {fmt::format("{:.0f}", k), k},
          {fmt::format("{:.1f}", simple.mean), simple.mean},
          {fmt::format("{:.1f}", hard.mean), hard.mean},
          {fmt::format("{:.3f}", 1000 * simple.mean / draws.mean), simple.mean / draws.mean},
          {fmt::format("{:.3f}", 1000 * hard.mean / draws.mean), hard.mean / draws.mean},
          {simple.mean > 0 ? fmt::format("{:.1f}", ratio) : "-", ratio}}});
  }
  figure.chart = std::move(chart);
  return figure;
}

std::string csv_of(const std::vector<FalseNegativeCount>& counts) {
  std::vector<std::vector<std::string>> rows;
  for (const FalseNegativeCount& each : counts)
    rows.push_back({each.graph, std::to_string(each.seed), std::to_string(each.batch), std::to_string(each.negatives()),
                    std::to_string(each.draws), std::to_string(each.simple), std::to_string(each.hard)});
  return to_csv({"graph", "seed", "batch", "negatives", "draws", "false_simple", "false_hard"}, rows);
}

StudyResult run_false_negatives(const FalseNegativesConfig& config, StudyContext& context) {
  const std::vector<std::int64_t> batches = sizes_in(config.batches);
  std::vector<FalseNegativeCount> counts;
  StudyResult result{.title = "False negatives by sampler", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::string runs;
  for (const StudyGraph& graph : context.graphs()) {
    for (std::int64_t seed = 1; seed <= config.seeds; ++seed) {
      const HeldOutRun run = train_held_out(context, graph, config.recipe, config.held_out, seed);
      std::optional<TrainedRun> opened;
      for (const std::int64_t batch : batches) {
        const CountJson made = context.piece(
            fmt::format("{}-seed-{}-batch-{}", graph.name, seed, batch),
            {{"run", run.stamp}, {"batch", batch}, {"seed", seed}}, [&] {
              if (!opened) opened = open_trained(Run::open(run.folder), run.graph.folder.string(), context.settings().device);
              return json_of(count_draws(*opened, batch, static_cast<std::uint64_t>(seed), context));
            });
        counts.push_back({graph.name, seed, batch, made.at("draws"), made.at("simple"), made.at("hard")});
      }
      if (seed == 1) runs += fmt::format(" {}: {}.", graph.name, run.words);
    }
    result.figures.push_back(figure_of(graph.name, by_graph_and_batch(counts)));
  }
  result.summary = fmt::format(
      "{:g}% of the training triples held out, a run trained on the rest, K = 2|B| - 1 negatives drawn from the batch's "
      "entities for every retained triple, asked from both ends, retained answers left out; from {} seed{}.{}",
      100 * config.held_out, config.seeds, config.seeds == 1 ? "" : "s", runs);
  result.verdicts.push_back(judge_false_negatives(counts));
  result.files.push_back({"false_negatives.csv", csv_of(counts)});
  return result;
}

}  // namespace

FalseNegativesConfig FalseNegativesConfig::of(StudySize size) {
  FalseNegativesConfig config;
  switch (size) {
    case StudySize::tiny:
      config.seeds = 1;
      config.batches = {"16", "32"};
      break;
    case StudySize::quick: config.seeds = 3; break;
    case StudySize::full: break;
  }
  config.recipe = hold_out_recipe(size);
  return config;
}

FalseNegativeCount count_false_negatives(const Scorer& scorer, const Graph& retained, std::int64_t batch,
                                         std::uint64_t seed, const std::function<void()>& each_query) {
  const auto known = KnownAnswers::of_training(retained);
  const KnownAnswers missing(retained, std::vector{Split::test});
  const std::vector<Triple> triples = with_inverses(retained.triples(Split::train), retained.relations());
  Rng rng(seed, "draws", static_cast<std::uint64_t>(batch));
  FalseNegativeCount count{.graph = {}, .seed = static_cast<std::int64_t>(seed), .batch = batch};
  for_each_query_negatives(scorer, triples, known, batch, seed, [&](const QueryNegatives& query) {
    each_query();
    const auto simple = draw_counts(query.simple, count.negatives(), rng);
    const auto hard = draw_counts(query.hard, count.negatives(), rng);
    if (simple.empty() || hard.empty()) return;
    count.draws += count.negatives();
    for (const EntityId truth : missing.tails(query.triple.head, query.triple.relation)) {
      const auto found = std::ranges::lower_bound(query.candidates, truth);
      if (found == query.candidates.end() || *found != truth) continue;
      count.simple += simple[static_cast<std::size_t>(found - query.candidates.begin())];
      count.hard += hard[static_cast<std::size_t>(found - query.candidates.begin())];
    }
  });
  return count;
}

Verdict judge_false_negatives(const std::vector<FalseNegativeCount>& counts) {
  std::vector<Agreement> findings;
  double least = INFINITY, most = 0;
  for (const auto& [key, group] : by_graph_and_batch(counts)) {
    const Interval difference = hard_minus_simple(group);
    findings.push_back(difference.low > 0    ? Agreement::agrees
                       : difference.high < 0 ? Agreement::disagrees
                                             : Agreement::mixed);
    const double ratio = mean_of(group, hard_count).mean / mean_of(group, simple_count).mean;
    if (std::isfinite(ratio)) least = std::min(least, ratio), most = std::max(most, ratio);
  }
  const auto count = [&](Agreement which) { return std::ranges::count(findings, which); };
  Verdict verdict{.claim = 1, .agreement = overall(findings), .sentence = {}};
  verdict.sentence = fmt::format(
      "Hard negatives contain more false negatives than simple ones in {} of {} settings (graph and batch size), fewer "
      "in {}, and no difference beyond chance shows in {}",
      count(Agreement::agrees), findings.size(), count(Agreement::disagrees), count(Agreement::mixed));
  verdict.sentence += std::isfinite(least) ? fmt::format("; they have {:.1f} to {:.1f} times as many.", least, most) : ".";
  return verdict;
}

Study false_negatives_study() {
  return make_study<FalseNegativesConfig>(
      "false-negatives", "how many false negatives simple and hard negatives bring (the paper's Figure 1)",
      run_false_negatives);
}

}  // namespace hasa
