#include "hasa/study/seeded_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "hasa/base/error.h"
#include "hasa/eval/bootstrap.h"
#include "hasa/job/evaluation.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

double value_of(RankMetric metric, double rank) {
  switch (metric) {
    case RankMetric::mrr: return 1 / rank;
    case RankMetric::hits_at_1: return rank <= 1 ? 1 : 0;
    case RankMetric::hits_at_3: return rank <= 3 ? 1 : 0;
    case RankMetric::hits_at_10: return rank <= 10 ? 1 : 0;
  }
  return 0;
}

using TripleKey = std::tuple<std::string, std::string, std::string>;

/// Of each triple, its queries' values added up and averaged over the seeds, and how many queries it has.
struct OfTriple {
  double value = 0;
  std::array<int, 2> queries{};  // that ask for the head, for the tail
};

std::map<TripleKey, OfTriple> by_triple(const SeededRuns& runs, RankMetric metric) {
  std::map<TripleKey, OfTriple> triples;
  const auto seeds = static_cast<double>(runs.seeds.size());
  for (const SeededRun& run : runs.seeds) {
    for (const RankRow& row : run.ranks) {
      OfTriple& triple = triples[{row.head, row.relation, row.tail}];
      triple.value += value_of(metric, row.realistic) / seeds;
      triple.queries[row.asks_tail ? 1 : 0] += &run == &runs.seeds.front() ? 1 : 0;
    }
  }
  return triples;
}

std::string options_words(const std::vector<std::string>& options) {
  return options.empty() ? "–" : fmt::format("{}", fmt::join(options, " "));
}

constexpr std::array kMetrics = {std::pair{"MRR", &Metrics::mrr}, std::pair{"Hits@1", &Metrics::hits_at_1},
                                 std::pair{"Hits@3", &Metrics::hits_at_3}, std::pair{"Hits@10", &Metrics::hits_at_10}};

}  // namespace

Interval spread(const SeedMean& value) { return {value.mean - value.deviation, value.mean + value.deviation}; }

SeedMean over_seeds(const SeededRuns& runs, double Metrics::* metric) {
  std::vector<double> values;
  for (const SeededRun& run : runs.seeds) values.push_back(run.test.*metric);
  return seed_mean(values);
}

std::string words(const SeedMean& value) {
  return fmt::format("{} ± {}", format_share(value.mean), format_share(value.deviation));
}

SeededRuns train_seeds(StudyContext& context, const StudyRecipe& recipe, const StudyGraph& graph,
                       const std::string& name, const std::vector<std::string>& options, std::int64_t seeds) {
  SeededRuns runs{name, options, {}};
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const StudyRun run =
        context.train(fmt::format("{}-{}", graph.name, name), run_config_of(recipe, graph, number, options));
    SeededRun one{.seed = number,
                  .test = {},
                  .ranks = test_ranks(context, run),
                  .valid_mrr = run.valid_mrr,
                  .epochs = run.epochs,
                  .seconds = run.seconds,
                  .folder = run.folder};
    one.test = metrics_of_rows(one.ranks);
    runs.seeds.push_back(std::move(one));
  }
  return runs;
}

std::vector<RankRow> test_ranks(StudyContext& context, const StudyRun& run) {
  const fs::path file = run.folder.string() + ".test-ranks.tsv";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    context.stop_if_asked();
    const EvaluatedRun opened =
        open_for_evaluation(run.folder.string(), /*graph=*/"", context.settings().device, /*memory=*/0);
    const RankedSplit ranked = rank_run(opened, KnownAnswers::of_all_splits(*opened.graph), Split::test, {},
                                        ranking_within(opened, Split::test, /*memory=*/0));
    write_ranks(file, rank_rows(ranked.ranked, *opened.graph));
  }
  return read_ranks(file);
}

Metrics metrics_of_rows(std::span<const RankRow> rows) {
  Metrics metrics{.queries = std::ssize(rows)};
  const auto count = static_cast<double>(std::max<std::size_t>(1, rows.size()));
  for (const RankRow& row : rows) {
    metrics.mean_rank += row.realistic / count;
    metrics.mrr += 1 / row.realistic / count;
    metrics.hits_at_1 += (row.realistic <= 1 ? 1 : 0) / count;
    metrics.hits_at_3 += (row.realistic <= 3 ? 1 : 0) / count;
    metrics.hits_at_10 += (row.realistic <= 10 ? 1 : 0) / count;
  }
  return metrics;
}

const char* to_string(RankMetric metric) {
  switch (metric) {
    case RankMetric::mrr: return "MRR";
    case RankMetric::hits_at_1: return "Hits@1";
    case RankMetric::hits_at_3: return "Hits@3";
    case RankMetric::hits_at_10: return "Hits@10";
  }
  return "?";
}

Difference difference_over_seeds(const SeededRuns& a, const SeededRuns& b, RankMetric metric,
                                 const PairedTestOptions& options) {
  const auto of_a = by_triple(a, metric), of_b = by_triple(b, metric);
  const bool same = std::ranges::equal(of_a, of_b, [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.queries == y.second.queries;
  });
  HASA_CHECK(same && !of_a.empty(), data, "{} and {} did not rank the same queries", a.name, b.name);
  Difference made;
  std::vector<double> differences, queries;
  double all = 0;
  for (auto x = of_a.begin(), y = of_b.begin(); x != of_a.end(); ++x, ++y) {
    differences.push_back(y->second.value - x->second.value);
    queries.push_back(x->second.queries[0] + x->second.queries[1]);
    made.a += x->second.value;
    made.b += y->second.value;
    all += queries.back();
  }
  made.a /= all;
  made.b /= all;
  made.b_minus_a = made.b - made.a;
  made.interval = bootstrap_means(std::span(&differences, 1), queries, options.bootstrap)[0];
  made.p_value = sign_flip_p_value(differences, options.permutations, options.bootstrap.seed);
  return made;
}

Agreement is_better(const Difference& difference) {
  constexpr double kSignificant = 0.05;
  const bool is = difference.b_minus_a > 0 && difference.p_value < kSignificant;
  return is ? Agreement::agrees : Agreement::disagrees;
}

std::string signed_share(double value) {
  const std::string share = format_share(std::abs(value));
  return share == format_share(0) ? "0" : (value < 0 ? "−" : "+") + share;
}

std::string p_words(double p_value) {
  return p_value < 0.001 ? "p < .001" : fmt::format("p = {}", format_share(p_value));
}

std::string words(const Difference& difference, RankMetric metric, const std::string& name_a,
                  const std::string& name_b) {
  return fmt::format("{} has {} {} and {} {}: {} (95% {} to {}, {})", name_b, to_string(metric),
                     format_share(difference.b), name_a, format_share(difference.a), signed_share(difference.b_minus_a),
                     signed_share(difference.interval.low), signed_share(difference.interval.high),
                     p_words(difference.p_value));
}

PageTable runs_table(const std::string& caption, std::span<const SeededRuns> runs) {
  PageTable table{caption, {{"", false}, {"options", false, "over the recipe's"}, {"MR", true}}, {}};
  for (const auto& [name, metric] : kMetrics)
    table.columns.push_back({name, true, "on the test split; mean and standard deviation over the seeds"});
  table.columns.push_back({"valid MRR", true, "the best of training, mean over the seeds"});
  table.columns.push_back({"seeds", true});
  table.columns.push_back({"epochs", true, "of each run"});
  table.columns.push_back({"seconds", true, "of each run's training, mean; with none where it was resumed"});
  for (const SeededRuns& row : runs) {
    const SeedMean rank = over_seeds(row, &Metrics::mean_rank);
    std::vector<double> valid, seconds;
    for (const SeededRun& run : row.seeds) {
      valid.push_back(run.valid_mrr);
      seconds.push_back(run.seconds);
    }
    TableRow cells{{{row.name},
                    {options_words(row.options)},
                    {fmt::format("{:.0f} ± {:.0f}", rank.mean, rank.deviation), rank.mean}}};
    for (const auto& [name, metric] : kMetrics) {
      const SeedMean value = over_seeds(row, metric);
      cells.cells.emplace_back(words(value), value.mean);
    }
    const double valid_mrr = seed_mean(valid).mean, took = seed_mean(seconds).mean;
    cells.cells.emplace_back(format_share(valid_mrr), valid_mrr);
    cells.cells.emplace_back(std::to_string(row.seeds.size()), static_cast<double>(row.seeds.size()));
    const std::int64_t epochs = row.seeds.empty() ? 0 : row.seeds.front().epochs;
    cells.cells.emplace_back(std::to_string(epochs), static_cast<double>(epochs));
    cells.cells.emplace_back(fmt::format("{:.1f}", took), took);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

StudyFile runs_csv(const std::string& file, const std::string& graph, std::span<const SeededRuns> runs) {
  std::vector<std::vector<std::string>> lines;
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  for (const SeededRuns& row : runs) {
    for (const SeededRun& run : row.seeds)
      lines.push_back({graph, row.name, fmt::format("{}", fmt::join(row.options, " ")), std::to_string(run.seed),
                       number(run.test.mean_rank), number(run.test.mrr), number(run.test.hits_at_1),
                       number(run.test.hits_at_3), number(run.test.hits_at_10), number(run.valid_mrr),
                       std::to_string(run.epochs), fmt::format("{:.2f}", run.seconds)});
  }
  return {file, to_csv({"graph", "row", "options", "seed", "mr", "mrr", "hits@1", "hits@3", "hits@10", "valid_mrr",
                        "epochs", "seconds"},
                       lines)};
}

BarChart runs_chart(const ChartText& text, std::span<const SeededRuns> runs) {
  BarChart chart{text, {}, {}};
  for (const SeededRuns& row : runs) {
    if (row.seeds.empty()) continue;
    const auto triples = by_triple(row, RankMetric::mrr);
    std::vector<double> values, queries;
    for (const auto& [key, triple] : triples) {
      values.push_back(triple.value);
      queries.push_back(triple.queries[0] + triple.queries[1]);
    }
    Bar bar{.label = row.name, .value = over_seeds(row, &Metrics::mrr).mean};
    bar.interval = bootstrap_means(std::span(&values, 1), queries, {})[0];
    for (const SeededRun& run : row.seeds) bar.others.push_back({fmt::format("seed {}", run.seed), run.test.mrr});
    chart.bars.push_back(std::move(bar));
  }
  return chart;
}

}  // namespace hasa
