#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/comparison.h"
#include "hasa/eval/metrics.h"
#include "hasa/study/seed_mean.h"
#include "hasa/study/study_recipe.h"
#include "hasa/study/study_result.h"

namespace hasa {

/// What one training came to on the test split.
struct SeededRun {
  std::uint64_t seed = 1;
  Metrics test;
  std::vector<RankRow> ranks;
  double valid_mrr = 0;
  std::int64_t epochs = 0;
  double seconds = 0;
  std::filesystem::path folder = {};
};

/// The same training from several seeds: a row of a study's table.
struct SeededRuns {
  std::string name;                  // "HaSa"
  std::vector<std::string> options;  // over the recipe's
  std::vector<SeededRun> seeds;
};

/// A standard deviation to both sides.
Interval spread(const SeedMean& value);
SeedMean over_seeds(const SeededRuns& runs, double Metrics::* metric);
/// ".452 ± .003", the mean and the standard deviation
std::string words(const SeedMean& value);

/// Trains seeds 1 .. `seeds` and ranks the test split with each. The runs' folders are called GRAPH-NAME-HASH, so under
/// one name, such as "HaSa", studies share the runs whose options are the same.
SeededRuns train_seeds(StudyContext& context, const StudyRecipe& recipe, const StudyGraph& graph,
                       const std::string& name, const std::vector<std::string>& options, std::int64_t seeds);

/// Ranks of the test split, kept beside the run: they are computed once.
std::vector<RankRow> test_ranks(StudyContext& context, const StudyRun& run);
/// The headline: realistic ranks.
Metrics metrics_of_rows(std::span<const RankRow> rows);

enum class RankMetric { mrr, hits_at_1, hits_at_3, hits_at_10 };
/// "MRR", "Hits@1", "Hits@3", "Hits@10"
const char* to_string(RankMetric metric);

/// b - a on the same queries, each query's metric averaged over the seeds first. Interval by bootstrap and p-value by
/// sign flips, both over test triples, so they say nothing of how seeds differ: the deviations beside them do.
Difference difference_over_seeds(const SeededRuns& a, const SeededRuns& b, RankMetric metric,
                                 const PairedTestOptions& options = {});

/// Whether b is better than a: agrees where the difference is above 0 and its p-value below .05, else disagrees.
Agreement is_better(const Difference& difference);
/// "HaSa has a Hits@1 of .351 and Hard of .341: .010 (95% .002 to .018, p = .012)", of `b` and then of `a`.
std::string words(const Difference& difference, RankMetric metric, const std::string& name_a,
                  const std::string& name_b);
/// "+.010", "-.003", "0"
std::string signed_share(double value);
/// "p = .012", "p < .001"
std::string p_words(double p_value);

/// Columns name, options, MR, MRR, Hits@1, Hits@3, Hits@10 (means and deviations), valid MRR, epochs, seconds.
PageTable runs_table(const std::string& caption, std::span<const SeededRuns> runs);
/// The same for other programs: a line for each run and seed.
StudyFile runs_csv(const std::string& file, const std::string& graph, std::span<const SeededRuns> runs);
/// Bars of MRR with the interval that a bootstrap over test triples gives, and a sign for each seed.
BarChart runs_chart(const ChartText& text, std::span<const SeededRuns> runs);

}  // namespace hasa
