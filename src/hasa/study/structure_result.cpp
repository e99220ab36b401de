// What the conditions come to: the verdict, the figure and the table.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "hasa/base/error.h"
#include "hasa/page/number.h"
#include "hasa/study/seeded_runs.h"
#include "hasa/study/structure_study.h"

namespace hasa {
namespace {

SeedMean mean_over_seeds(const StructureCondition& condition,
                         const std::function<double(const StructureSeed&)>& value) {
  std::vector<double> values;
  for (const StructureSeed& seed : condition.seeds) values.push_back(value(seed));
  return seed_mean(values);
}

bool is_above(const SeedMean& gain) { return gain.has_interval() && gain.interval.low > 0; }
bool is_below(const SeedMean& gain) { return gain.has_interval() && gain.interval.high < 0; }

/// The oracle's signs stand a little to the right of HaSa's, or one would hide the other.
constexpr double kBeside = 1.05;

using GainOf = SeedMean (StructureCondition::*)() const;

std::string gain_words(const SeedMean& gain) {
  return fmt::format("{} (95% {} to {})", signed_share(gain.mean), signed_share(gain.interval.low),
                     signed_share(gain.interval.high));
}

/// By how much the gain rises where false negatives are ten times as many: a least-squares line through the conditions,
/// for each seed. Of the conditions that have any; nothing where these are fewer than two different ones.
std::optional<SeedMean> gain_per_tenfold(const std::vector<StructureCondition>& conditions,
                                         const std::function<double(const StructureCondition&, std::size_t)>& gain) {
  std::size_t seeds = conditions.empty() ? 0 : conditions.front().seeds.size();
  for (const StructureCondition& each : conditions) seeds = std::min(seeds, each.seeds.size());
  std::vector<double> slopes;
  for (std::size_t s = 0; s < seeds; ++s) {
    std::vector<double> x, y;
    for (const StructureCondition& each : conditions) {
      if (each.seeds[s].false_negatives <= 0) continue;
      x.push_back(std::log10(each.seeds[s].false_negatives));
      y.push_back(gain(each, s));
    }
    const auto n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0, products = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
    for (std::size_t i = 0; i < x.size(); ++i) {
      products += (x[i] - mean_x) * (y[i] - mean_y);
      squares += (x[i] - mean_x) * (x[i] - mean_x);
    }
    if (squares > 1e-9) slopes.push_back(products / squares);
  }
  if (slopes.size() < 2) return std::nullopt;
  return seed_mean(slopes);
}

std::string slope_words(const std::vector<StructureCondition>& conditions) {
  const auto hasa = gain_per_tenfold(conditions, [](const StructureCondition& each, std::size_t s) {
    return each.seeds[s].hasa[each.best_tau()].mrr - each.seeds[s].hard.mrr;
  });
  if (!hasa) return "";
  return fmt::format(" Where false negatives are ten times as many, the correction's gain {}: {}.",
                     is_above(*hasa)   ? "is greater"
                     : is_below(*hasa) ? "is smaller"
                                       : "does not differ beyond chance",
                     gain_words(*hasa));
}

std::string count_of(std::size_t count, std::size_t all) {
  return count == all ? "all" : count == 0 ? "none" : std::to_string(count);
}

XyChart structure_chart(const std::vector<StructureCondition>& conditions) {
  XyChart chart{
      .text = {"structure", "What the correction is worth by the number of false negatives",
               "Differences of test MRR from Hard InfoNCE with their 95% intervals, for HaSa and for an oracle "
               "that knows the false negatives, under each condition"},
      .x = {.label = "false negatives among a query's candidates", .logarithmic = true},
      .y = {.label = "test MRR less Hard InfoNCE's"},
      .series = {{"HaSa", {}}, {"oracle", {}}},
      .levels = {{"Hard InfoNCE:", 0}},
      .joined = false};
  for (const StructureCondition& each : conditions) {
    const auto add = [&](ChartSeries& series, const SeedMean& gain, double beside) {
      series.points.push_back({beside * each.false_negatives(), gain.mean,
                               gain.has_interval() ? std::optional(gain.interval) : std::nullopt,
                               fmt::format("{}: {} {}", each.name(), series.name, gain_words(gain))});
    };
    add(chart.series[0], each.gain_of_hasa(), 1);
    add(chart.series[1], each.gain_of_oracle(), kBeside);
  }
  return chart;
}

PageTable structure_table(const std::vector<StructureCondition>& conditions) {
  PageTable table{"What the correction is worth",
                  {{"graph", false},
                   {"mean degree", true, "of the whole training graph, undirected, directions and copies merged"},
                   {"left out", true, "share of the training triples that is missing"},
                   {"candidates", true, "entities that an answer is told from"},
                   {"false negatives", true, "of a training query, among its negatives; mean"},
                   {"tau", true, "the best on validation"},
                   {"Hard MRR", true, "on test, mean over seeds"},
                   {"HaSa", true, "less Hard, with its 95% interval over seeds"},
                   {"oracle", true, "less Hard, with its 95% interval over seeds"}},
                  {}};
  for (const StructureCondition& each : conditions) {
    const SeedMean hard = mean_over_seeds(each, [](const StructureSeed& seed) { return seed.hard.mrr; });
    const SeedMean hasa = each.gain_of_hasa(), oracle = each.gain_of_oracle();
    table.rows.push_back(
        {{{each.graph},
          {fmt::format("{:.1f}", each.degree), each.degree},
          {fmt::format("{:g}%", 100 * each.left_out), each.left_out},
          {each.candidates == 0 ? "all" : format_whole(each.candidates), static_cast<double>(each.candidates)},
          {fmt::format("{:.3g}", each.false_negatives()), each.false_negatives()},
          {each.taus[each.best_tau()]},
          {format_share(hard), hard.mean},
          {gain_words(hasa), hasa.mean},
          {gain_words(oracle), oracle.mean}}});
  }
  return table;
}

StudyFile structure_csv(const std::vector<StructureCondition>& conditions) {
  std::vector<std::vector<std::string>> rows;
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  for (const StructureCondition& each : conditions) {
    for (std::size_t s = 0; s < each.seeds.size(); ++s) {
      const StructureSeed& seed = each.seeds[s];
      const auto add = [&](const std::string& row, const std::string& tau, const StructureFigures& figures) {
        rows.push_back({each.graph, number(each.degree), number(each.left_out), std::to_string(each.candidates),
                        std::to_string(s + 1), number(seed.false_negatives), row, tau, number(figures.valid_mrr),
                        number(figures.mrr)});
      };
      add("hard", "0", seed.hard);
      add("oracle", "0", seed.oracle);
      for (std::size_t t = 0; t < each.taus.size(); ++t) add("hasa", each.taus[t], seed.hasa[t]);
    }
  }
  return {"structure.csv", to_csv({"graph", "degree", "left_out", "candidates", "seed", "false_negatives", "row", "tau",
                                   "valid_mrr", "test_mrr"},
                                  rows)};
}

}  // namespace

std::size_t StructureCondition::best_tau() const {
  std::size_t best = 0;
  const auto valid = [&](std::size_t t) {
    return mean_over_seeds(*this, [t](const StructureSeed& seed) { return seed.hasa.at(t).valid_mrr; }).mean;
  };
  for (std::size_t t = 1; t < taus.size(); ++t) {
    if (valid(t) > valid(best)) best = t;
  }
  return best;
}

SeedMean StructureCondition::gain_of_hasa() const {
  const std::size_t tau = best_tau();
  return mean_over_seeds(*this, [tau](const StructureSeed& seed) { return seed.hasa.at(tau).mrr - seed.hard.mrr; });
}

SeedMean StructureCondition::gain_of_oracle() const {
  return mean_over_seeds(*this, [](const StructureSeed& seed) { return seed.oracle.mrr - seed.hard.mrr; });
}

double StructureCondition::false_negatives() const {
  return mean_over_seeds(*this, [](const StructureSeed& seed) { return seed.false_negatives; }).mean;
}

std::string StructureCondition::name() const {
  return fmt::format("{}, {:g}% left out, {} candidates", graph, 100 * left_out,
                     candidates == 0 ? "all" : format_whole(candidates));
}

Verdict judge_structure(const std::vector<StructureCondition>& conditions) {
  HASA_CHECK(!conditions.empty(), data, "there is no condition to judge");
  const auto count = [&](GainOf gain, bool (*holds)(const SeedMean&)) {
    return static_cast<std::size_t>(
        std::ranges::count_if(conditions, [&](const StructureCondition& each) { return holds((each.*gain)()); }));
  };
  const std::size_t all = conditions.size(), better = count(&StructureCondition::gain_of_hasa, is_above),
                    worse = count(&StructureCondition::gain_of_hasa, is_below);
  const auto greatest = [&](GainOf gain) -> const StructureCondition& {
    return *std::ranges::max_element(conditions, {},
                                     [&](const StructureCondition& each) { return (each.*gain)().mean; });
  };
  const StructureCondition& best = greatest(&StructureCondition::gain_of_hasa);
  const StructureCondition& ceiling = greatest(&StructureCondition::gain_of_oracle);
  std::string sentence = fmt::format(
      "Under {} of {} conditions (graph, triples left out, candidates) HaSa has a higher test MRR than Hard InfoNCE "
      "beyond chance, under {} a lower one; if it made no difference, {:.1f} of each would be expected. Its greatest "
      "gain is {}, at {} ({:.2g} false negatives a query).",
      count_of(better, all), all, count_of(worse, all), 0.025 * static_cast<double>(all),
      gain_words(best.gain_of_hasa()), best.name(), best.false_negatives());
  sentence += fmt::format(
      " An oracle that leaves exactly the false negatives out gains beyond chance under {}, at most {}, at {} "
      "({:.2g} false negatives a query).",
      count_of(count(&StructureCondition::gain_of_oracle, is_above), all), gain_words(ceiling.gain_of_oracle()),
      ceiling.name(), ceiling.false_negatives());
  sentence += slope_words(conditions);
  const Agreement agreement = better == all ? Agreement::agrees : better == 0 ? Agreement::disagrees : Agreement::mixed;
  return {4, agreement, sentence};
}

StudyResult structure_result(const std::vector<StructureCondition>& conditions) {
  StudyResult result{.title = "When the correction is worth something",
                     .summary = {},
                     .verdicts = {judge_structure(conditions)},
                     .figures = {},
                     .tables = {},
                     .files = {structure_csv(conditions)}};
  const PageTable table = structure_table(conditions);
  result.figures.push_back({structure_chart(conditions),
                            "each pair of signs is a condition, side by side: mean over seeds of the difference from "
                            "the same seed's Hard InfoNCE, with its 95% interval",
                            table});
  result.tables.push_back(table);
  const std::size_t seeds = conditions.front().seeds.size();
  const std::size_t runs = conditions.size() * seeds * (2 + conditions.front().taus.size());
  result.summary = fmt::format(
      "Training triples are left out, and Hard InfoNCE, HaSa and an oracle are trained on the rest, {} runs in all "
      "from "
      "{} seeds, each with triples of its own left out. HaSa's tau is the best on validation. The oracle is Hard "
      "InfoNCE "
      "without the missing triples among its negatives. All are ranked on the test split, whose triples the oracle "
      "does "
      "not know, with the missing triples filtered too.",
      runs, seeds);
  return result;
}

}  // namespace hasa
