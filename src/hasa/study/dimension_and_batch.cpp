#include "hasa/study/dimension_and_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/error.h"

namespace hasa {
namespace {

std::vector<std::int64_t> rising_sizes(const std::vector<std::string>& texts, const char* option) {
  std::vector<std::int64_t> sizes;
  for (const std::string& text : texts) {
    char* end = nullptr;
    const std::int64_t size = std::strtoll(text.c_str(), &end, 10);
    HASA_CHECK(!text.empty() && *end == '\0' && size > 0, config, "{}: {} is no size", option, text);
    sizes.push_back(size);
  }
  std::ranges::sort(sizes);
  HASA_CHECK(sizes.size() >= 2 && std::ranges::adjacent_find(sizes) == sizes.end(), config,
             "{}: at least two different sizes are compared", option);
  return sizes;
}

StudyResult run_dimension_and_batch(const DimensionAndBatchConfig& config, StudyContext& context) {
  DimensionBatchGrid form{.graph = {},
                          .dimensions = rising_sizes(config.dimensions, "dimensions"),
                          .batches = rising_sizes(config.batches, "batches"),
                          .runs = {}};
  std::vector<DimensionBatchGrid> grids;
  for (const StudyGraph& graph : context.graphs()) {
    DimensionBatchGrid grid = form;
    grid.graph = graph.name;
    for (const std::int64_t dim : grid.dimensions) {
      grid.runs.emplace_back();
      for (const std::int64_t batch : grid.batches) {
        const std::vector<std::string> options{fmt::format("model.dim={}", dim), fmt::format("train.batch={}", batch)};
        grid.runs.back().push_back(train_seeds(context, config.recipe, graph, "HaSa", options, config.seeds));
        grid.runs.back().back().name = fmt::format("d = {}, batch {}", dim, batch);
      }
    }
    grids.push_back(std::move(grid));
  }
  return dimension_and_batch_result(grids);
}

double gain(const SeededRuns& a, const SeededRuns& b) {
  return over_seeds(b, &Metrics::mrr).mean - over_seeds(a, &Metrics::mrr).mean;
}

/// "at batch 64 +.020 (p < .001), at batch 128 ..."
struct Steps {
  std::string words;
  std::vector<Agreement> findings;  // whether each is a gain
  std::vector<double> gains;

  void add(const std::string& place, const SeededRuns& a, const SeededRuns& b) {
    const Difference d = difference_over_seeds(a, b, RankMetric::mrr);
    words +=
        fmt::format("{}{} {} ({})", words.empty() ? "" : ", ", place, signed_share(d.b_minus_a), p_words(d.p_value));
    findings.push_back(is_better(d));
    gains.push_back(gain(a, b));
  }
};

/// Claim 16: the larger dimension is better everywhere, and by more the larger the batch.
Verdict verdict_on_dimensions(const DimensionBatchGrid& grid) {
  Steps steps;
  for (std::size_t b = 0; b < grid.batches.size(); ++b)
    steps.add(fmt::format("at batch {}", grid.batches[b]), grid.runs.front()[b], grid.runs.back()[b]);
  const bool widens = steps.gains.back() > steps.gains.front();
  steps.findings.push_back(widens ? Agreement::agrees : Agreement::disagrees);
  return {16, overall(steps.findings),
          fmt::format("On {}, d = {} beside d = {} changes MRR by: {}. From the smallest batch to the largest the gain "
                      "{}.",
                      grid.graph, grid.dimensions.back(), grid.dimensions.front(), steps.words,
                      widens ? "grows" : "does not grow")};
}

/// Claim 17: each larger batch is better, and each step adds less than the one before.
Verdict verdict_on_batches(const DimensionBatchGrid& grid) {
  std::vector<Agreement> findings;
  std::string sentence = "On " + grid.graph;
  for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
    Steps steps;
    for (std::size_t b = 1; b < grid.batches.size(); ++b)
      steps.add(fmt::format("from {} to {}", grid.batches[b - 1], grid.batches[b]), grid.runs[d][b - 1],
                grid.runs[d][b]);
    if (steps.gains.size() >= 2)
      steps.findings.push_back(steps.gains.back() < steps.gains.front() ? Agreement::agrees : Agreement::disagrees);
    findings.insert(findings.end(), steps.findings.begin(), steps.findings.end());
    sentence += fmt::format("{} with d = {} a larger batch changes MRR by: {}", d == 0 ? "," : ";", grid.dimensions[d],
                            steps.words);
  }
  return {17, overall(findings), sentence + "."};
}

XyChart grid_chart(const DimensionBatchGrid& grid) {
  XyChart chart{.text = {"dimension-batch-" + grid.graph, "MRR by dimension and batch on " + grid.graph,
                         "A line for each dimension: MRR on the test split for each batch size"},
                .x = {.label = "triples in a batch", .logarithmic = true},
                .y = {.label = "MRR"},
                .series = {},
                .levels = {}};
  for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
    ChartSeries series{fmt::format("d = {}", grid.dimensions[d]), {}};
    for (std::size_t b = 0; b < grid.batches.size(); ++b) {
      const SeedMean value = over_seeds(grid.runs[d][b], &Metrics::mrr);
      series.points.push_back({static_cast<double>(grid.batches[b]), value.mean, spread(value),
                               fmt::format("batch {}, MRR {}", grid.batches[b], words(value))});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

DimensionAndBatchConfig DimensionAndBatchConfig::of(StudySize size) {
  DimensionAndBatchConfig config;
  config.dimensions = {"100", "500"};
  config.batches = {"64", "128", "256"};
  switch (size) {
    case StudySize::tiny:
      config.recipe.set = {"model.context_layers=0", "optimiser.lr=5e-3", "train.epochs=1",
                           "loss.kind=hasa",         "loss.beta=0.3",     "loss.tau=1e-3"};
      config.dimensions = {"8", "16"};
      config.batches = {"256", "512"};
      config.seeds = 1;
      break;
    case StudySize::quick:
      config.recipe = quick_recipe({"loss.kind=hasa", "loss.beta=0.1", "loss.tau=1e-3"});
      config.dimensions = {"16", "64"};
      config.batches = {"256", "1024"};
      config.seeds = 2;
      break;
    case StudySize::full: config.recipe.config = "configs/{graph}_study-frozen.yaml"; break;
  }
  return config;
}

StudyResult dimension_and_batch_result(const std::vector<DimensionBatchGrid>& grids) {
  StudyResult result{
      .title = "Dimension and batch", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  double seconds = 0;
  std::size_t count = 0;
  for (const DimensionBatchGrid& grid : grids) {
    std::vector<SeededRuns> all;
    for (const auto& row : grid.runs) all.insert(all.end(), row.begin(), row.end());
    for (const SeededRuns& runs : all) {
      for (const SeededRun& run : runs.seeds) seconds += run.seconds;
      count += runs.seeds.size();
    }
    const PageTable table = runs_table("Runs by dimension and batch on " + grid.graph, all);
    result.figures.push_back({grid_chart(grid), "test split; mean and standard deviation over the seeds", table});
    result.tables.push_back(table);
    result.files.push_back(runs_csv("dimension-batch-" + grid.graph + ".csv", grid.graph, all));
    result.verdicts.push_back(verdict_on_dimensions(grid));
    result.verdicts.push_back(verdict_on_batches(grid));
  }
  result.summary = fmt::format(
      "{} runs, {:.0f} s of training in all. Over a frozen language model every entity is a candidate, so there a "
      "larger batch brings no more negatives, only fewer steps.",
      count, seconds);
  return result;
}

Study dimension_and_batch_study() {
  return make_study<DimensionAndBatchConfig>("dimension-batch", "HaSa for several dimensions and batch sizes",
                                             run_dimension_and_batch);
}

}  // namespace hasa
