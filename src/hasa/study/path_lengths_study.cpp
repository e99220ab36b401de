#include "hasa/study/path_lengths_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "hasa/base/progress.h"
#include "hasa/job/trained_run.h"
#include "hasa/page/number.h"
#include "hasa/study/batch_negatives.h"
#include "hasa/study/hold_out.h"
#include "hasa/study/path_lengths_figures.h"
#include "hasa/study/seed_mean.h"

namespace hasa {
namespace {

using LengthsJson = nlohmann::ordered_json;

std::vector<HardNegative> draw_hard_negatives(const Scorer& scorer, const Graph& retained, std::int64_t batch,
                                              std::uint64_t seed, const StudyContext& context) {
  const auto known = KnownAnswers::of_training(retained);
  const KnownAnswers missing(retained, std::vector{Split::test});
  const std::vector<Triple> triples = with_inverses(retained.triples(Split::train), retained.relations());
  Rng rng(seed, "draws", static_cast<std::uint64_t>(batch));
  Progress progress(fmt::format("drawing, batches of {}", batch), triples.size(), "triples");
  std::map<Triple, std::int64_t> drawn;
  for_each_query_negatives(scorer, triples, known, batch, seed, [&](const QueryNegatives& query) {
    progress.advance();
    context.stop_if_asked();
    const auto counts = draw_counts(query.hard, 2 * batch - 1, rng);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) drawn[{query.triple.head, query.triple.relation, query.candidates[i]}] += counts[i];
    }
  });
  std::vector<HardNegative> negatives;
  for (const auto& [t, count] : drawn)
    negatives.push_back({t.head, t.relation, t.tail, count, missing.contains(t.head, t.relation, t.tail)});
  return negatives;
}

/// All false ones and true ones drawn at random, up to `most` in all; of the latter each counts for all that it stands
/// for.
struct MeasuredNegatives {
  std::vector<EntityPair> pairs;
  std::vector<RocItem> items;  // without values
  std::vector<std::uint32_t> groups;
};

MeasuredNegatives choose_measured(std::vector<HardNegative> negatives, std::int64_t most, std::uint64_t seed) {
  Rng(seed, "measured").shuffle(negatives);
  std::ranges::stable_partition(negatives, [](const HardNegative& each) { return each.is_false; });
  if (std::ssize(negatives) > most) negatives.resize(static_cast<std::size_t>(most));
  MeasuredNegatives chosen;
  std::map<std::pair<EntityId, RelationId>, std::uint32_t> groups;
  for (const HardNegative& each : negatives) {
    chosen.pairs.emplace_back(each.head, each.tail);
    chosen.items.push_back({.positive = each.is_false, .weight = static_cast<double>(each.drawn)});
    chosen.groups.push_back(
        groups.try_emplace({each.head, each.relation}, static_cast<std::uint32_t>(groups.size())).first->second);
  }
  return chosen;
}

LengthsJson json_of(const std::map<std::int32_t, std::int64_t>& counts) {
  LengthsJson json = LengthsJson::array();
  for (const auto& [length, count] : counts) json.push_back({length, count});
  return json;
}
std::map<std::int32_t, std::int64_t> counts_in(const LengthsJson& json) {
  std::map<std::int32_t, std::int64_t> counts;
  for (const LengthsJson& each : json) counts[each.at(0).get<std::int32_t>()] = each.at(1).get<std::int64_t>();
  return counts;
}

/// Lengths of all draws, and each measure's curve over the measured ones.
LengthsJson measure(const Graph& retained, const std::vector<HardNegative>& negatives, std::int64_t most,
                    std::uint64_t seed, const StudyContext& context) {
  constexpr int kResamples = 200;
  constexpr std::size_t kPointsOfACurve = 40;
  const Neighbours neighbours{Adjacency(retained)};
  const PathLengthCounts counts = count_lengths(neighbours, negatives);
  LengthsJson result{{"true", json_of(counts.true_negatives)}, {"false", json_of(counts.false_negatives)}};
  const MeasuredNegatives chosen = choose_measured(negatives, most, seed);
  std::vector<RocItem> items = chosen.items;
  for (const Proximity each : kProximities) {
    context.stop_if_asked();
    const std::vector<double> values = proximities(neighbours, chosen.pairs, each);
    for (std::size_t i = 0; i < items.size(); ++i) items[i].value = values[i];
    const auto curve = roc_curve(items);
    Rng rng(seed, "bootstrap");
    const Interval interval = area_interval(items, chosen.groups, kResamples, rng);
    LengthsJson points = LengthsJson::array();
    for (const RocPoint& point : thinned(curve, kPointsOfACurve))
      points.push_back({point.false_positive_rate, point.true_positive_rate});
    result["measures"].push_back({{"area", area_under(curve)}, {"low", interval.low}, {"high", interval.high}, {"curve", points}});
  }
  return result;
}

StudyResult run_path_lengths(const PathLengthsConfig& config, StudyContext& context) {
  PathLengthsData data;
  std::string runs;
  for (const StudyGraph& graph : context.graphs()) {
    for (std::int64_t seed = 1; seed <= config.seeds; ++seed) {
      const HeldOutRun run = train_held_out(context, graph, config.recipe, config.held_out, seed);
      const LengthsJson made = context.piece(
          fmt::format("{}-seed-{}", graph.name, seed),
          {{"run", run.stamp}, {"batch", config.batch}, {"measured", config.measured}, {"seed", seed}}, [&] {
            const TrainedRun opened = open_trained(Run::open(run.folder), run.graph.folder.string(), context.settings().device);
            const auto number = static_cast<std::uint64_t>(seed);
            const auto negatives = draw_hard_negatives(*opened.scorer, *opened.graph, config.batch, number, context);
            return measure(*opened.graph, negatives, config.measured, number, context);
          });
      data.lengths.push_back({graph.name, seed, {counts_in(made.at("true")), counts_in(made.at("false"))}});
      for (std::size_t m = 0; m < std::size(kProximities); ++m) {
        const LengthsJson& each = made.at("measures").at(m);
        data.areas.push_back({graph.name, seed, kProximities[m], each.at("area"), {each.at("low"), each.at("high")}});
        std::vector<RocPoint> curve;
        for (const LengthsJson& point : each.at("curve")) curve.push_back({point.at(0), point.at(1)});
        data.curves.push_back({graph.name, seed, kProximities[m], std::move(curve)});
      }
      if (seed == 1) runs += fmt::format(" {}: {}.", graph.name, run.words);
    }
  }
  StudyResult result = describe_path_lengths(data);
  result.summary = fmt::format(
      "{:g}% of the training triples held out, a run trained on the rest, 2|B| - 1 = {} hard negatives drawn for every "
      "retained triple, asked from both ends; distances in the graph of the retained triples, where a false negative "
      "can be near only by other ways; from {} seed{}.{}",
      100 * config.held_out, 2 * config.batch - 1, config.seeds, config.seeds == 1 ? "" : "s", runs);
  result.verdicts = {judge_path_lengths(data.lengths, data.areas), judge_measures(data.areas)};
  return result;
}

using AreaGroups = std::map<std::pair<std::string, Proximity>, std::vector<MeasureArea>>;

AreaGroups by_graph_and_measure(const std::vector<MeasureArea>& areas) {
  AreaGroups groups;
  for (const MeasureArea& each : areas) groups[{each.graph, each.measure}].push_back(each);
  return groups;
}

SeedMean area_of(const std::vector<MeasureArea>& group) {
  std::vector<double> values;
  for (const MeasureArea& each : group) values.push_back(each.area);
  SeedMean mean = seed_mean(values);
  if (!mean.has_interval()) mean.interval = group[0].interval;
  return mean;
}

/// Above .5, below it, or neither beyond chance.
Agreement above_chance(const SeedMean& area) {
  return area.interval.low > 0.5 ? Agreement::agrees : area.interval.high < 0.5 ? Agreement::disagrees : Agreement::mixed;
}

}  // namespace

PathLengthsConfig PathLengthsConfig::of(StudySize size) {
  PathLengthsConfig config;
  if (size == StudySize::tiny) {
    config.seeds = 1;
    config.batch = 32;
    config.measured = 2000;
  }
  if (size == StudySize::full) {
    config.seeds = 5;
    config.measured = 200000;
  }
  config.recipe = hold_out_recipe(size);
  return config;
}

PathLengthCounts count_lengths(const Neighbours& graph, const std::vector<HardNegative>& negatives) {
  std::vector<EntityPair> pairs;
  for (const HardNegative& each : negatives) pairs.emplace_back(each.head, each.tail);
  const std::vector<std::int32_t> lengths = path_lengths(graph, pairs);
  PathLengthCounts counts;
  for (std::size_t i = 0; i < negatives.size(); ++i)
    (negatives[i].is_false ? counts.false_negatives : counts.true_negatives)[lengths[i]] += negatives[i].drawn;
  return counts;
}

double mean_length(const std::map<std::int32_t, std::int64_t>& counts) {
  double sum = 0, total = 0;
  for (const auto& [length, count] : counts) {
    if (length == kNoPath) continue;
    sum += static_cast<double>(length) * static_cast<double>(count);
    total += static_cast<double>(count);
  }
  return sum / total;
}

Verdict judge_path_lengths(const std::vector<PathLengthsOf>& lengths, const std::vector<MeasureArea>& areas) {
  std::vector<Agreement> findings;
  std::string words;
  for (const auto& [key, group] : by_graph_and_measure(areas)) {
    if (key.second != Proximity::path) continue;
    const SeedMean area = area_of(group);
    findings.push_back(above_chance(area));
    std::vector<double> false_means, true_means;
    for (const PathLengthsOf& each : lengths) {
      if (each.graph != key.first) continue;
      false_means.push_back(mean_length(each.counts.false_negatives));
      true_means.push_back(mean_length(each.counts.true_negatives));
    }
    words += fmt::format(
        "{}On {} false hard negatives are {:.2f} steps from their head and true ones {:.2f} on average, and the length "
        "tells a false from a true one with an area under the ROC curve of {} ({} to {}): {}.",
        words.empty() ? "" : " ", key.first, seed_mean(false_means).mean, seed_mean(true_means).mean,
        format_share(area.mean), format_share(area.interval.low), format_share(area.interval.high),
        findings.back() == Agreement::agrees      ? "false ones are nearer"
        : findings.back() == Agreement::disagrees ? "false ones are farther away"
                                                  : "no difference beyond chance");
  }
  return {.claim = 2, .agreement = overall(findings), .sentence = words};
}

Verdict judge_measures(const std::vector<MeasureArea>& areas) {
  const AreaGroups groups = by_graph_and_measure(areas);
  std::vector<Agreement> findings;
  std::string words;
  std::set<std::string> graphs;
  for (const MeasureArea& each : areas) graphs.insert(each.graph);
  for (const std::string& graph : graphs) {
    const auto& by_path = groups.at({graph, Proximity::path});
    Proximity best = Proximity::path;
    double greatest = -1;
    for (const Proximity each : kProximities) {
      if (each == Proximity::path || area_of(groups.at({graph, each})).mean <= greatest) continue;
      best = each;
      greatest = area_of(groups.at({graph, each})).mean;
    }
    const auto& by_best = groups.at({graph, best});
    std::vector<double> gains;
    for (std::size_t i = 0; i < by_best.size(); ++i) gains.push_back(by_best[i].area - by_path[i].area);
    const SeedMean gain = seed_mean(gains);
    // A single seed says so only where the intervals do not meet.
    const bool better = gain.has_interval() ? gain.interval.low > 0 : by_best[0].interval.low > by_path[0].interval.high;
    const bool worse = gain.has_interval() ? gain.interval.high < 0 : by_best[0].interval.high < by_path[0].interval.low;
    findings.push_back(better ? Agreement::agrees : worse ? Agreement::disagrees : Agreement::mixed);
    words += fmt::format("{}On {} the best other measure is {} with an area of {}, beside {} of the path length ({}).",
                         words.empty() ? "" : " ", graph, to_string(best), format_share(greatest),
                         format_share(area_of(by_path).mean),
                         better  ? "better beyond chance"
                         : worse ? "worse beyond chance"
                                 : "no difference beyond chance");
  }
  return {.claim = 20, .agreement = overall(findings), .sentence = words};
}

Study path_lengths_study() {
  return make_study<PathLengthsConfig>(
      "path-lengths",
      "how near false and true hard negatives are to their head, by path length and other measures (the paper's Figure 2)",
      run_path_lengths);
}

}  // namespace hasa
