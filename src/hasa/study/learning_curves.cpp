#include "hasa/study/learning_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr std::size_t kCurves = 3;

StudyResult run_learning_curves(const LearningCurvesConfig& config, StudyContext& context) {
  std::vector<LossCurves> graphs;
  for (const StudyGraph& graph : context.graphs()) {
    LossCurves curves{graph.name, {}};
    std::vector<LossChoice> losses = loss_choices(config.losses);
    losses.resize(kCurves);  // without HaSa+, as the paper's figure
    for (const LossChoice& loss : losses) {
      std::vector<std::string> options = choose_on_validation(context, config.losses, graph, loss).options;
      options.insert(options.end(), config.options.begin(), config.options.end());
      curves.curves.push_back(
          curve_of(train_seeds(context, config.losses.runs, graph, loss.name, options, config.seeds)));
    }
    graphs.push_back(std::move(curves));
  }
  return learning_curves_result(graphs);
}

/// How far one curve is above another at an epoch, and whether that is more than twice the deviation of the two
/// together: what three seeds can tell.
struct Gap {
  double size = 0;
  bool is_clear = false;
};
Gap gap_at(const SeededCurve& a, const SeededCurve& b, std::int64_t epoch) {
  const SeedMean of_a = a.at(epoch, &CurvePoint::mrr), of_b = b.at(epoch, &CurvePoint::mrr);
  const double size = of_b.mean - of_a.mean;
  return {size, std::abs(size) > 2 * std::hypot(of_a.deviation, of_b.deviation)};
}

std::string gap_words(const Gap& gap) {
  return fmt::format("{} MRR ({} two standard deviations)", signed_share(gap.size), gap.is_clear ? "beyond" : "within");
}

/// That b begins like a, or above it where it does so `throughout`, and ends above it.
Verdict curves_verdict(int claim, const LossCurves& graph, std::size_t a, std::size_t b, bool throughout) {
  const SeededCurve &lower = graph.curves[a], &upper = graph.curves[b];
  const std::vector<std::int64_t> epochs = upper.epochs();
  const Gap first = gap_at(lower, upper, epochs.front()), last = gap_at(lower, upper, epochs.back());
  const bool begins_so = throughout ? first.size > 0 && first.is_clear : !first.is_clear;
  const bool ends_so = last.size > 0 && last.is_clear;
  const Agreement agreement = overall(
      {begins_so ? Agreement::agrees : Agreement::disagrees, ends_so ? Agreement::agrees : Agreement::disagrees});
  return {claim, agreement,
          fmt::format("On {}, {} beside {}: {} after epoch {}, {} after epoch {}. It {} and {}.", graph.graph,
                      upper.name, lower.name, gap_words(first), epochs.front(), gap_words(last), epochs.back(),
                      first.is_clear ? (first.size > 0 ? "begins above" : "begins below") : "begins alike",
                      last.is_clear ? (last.size > 0 ? "ends above" : "ends below") : "ends alike")};
}

}  // namespace

LearningCurvesConfig LearningCurvesConfig::of(StudySize size) {
  LearningCurvesConfig config;
  config.losses = LossTableConfig::of(size);
  config.options = {"train.validate_every=1"};
  switch (size) {
    case StudySize::tiny:
      config.options.emplace_back("train.epochs=3");
      config.seeds = 2;
      break;
    case StudySize::quick:
      config.options.emplace_back("train.epochs=4");
      config.seeds = 2;
      break;
    case StudySize::full: break;  // the runs of the table of losses, so the curves cost nothing
  }
  return config;
}

StudyResult learning_curves_result(const std::vector<LossCurves>& graphs) {
  StudyResult result{
      .title = "Learning curves", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::vector<std::string> parts;
  for (const LossCurves& graph : graphs) {
    HASA_CHECK(graph.curves.size() == kCurves && !graph.curves.front().epochs().empty(), data,
               "{} needs a curve for each of Simple, Hard and HaSa", graph.graph);
    for (StudyFigure& figure : curve_figures("learning-curves", graph.graph, graph.curves))
      result.figures.push_back(std::move(figure));
    result.tables.push_back(curves_table("Validation by epoch on " + graph.graph, graph.curves));
    result.files.push_back(curves_csv("learning-curves-" + graph.graph + ".csv", graph.graph, graph.curves));
    const bool is_freebase = graph.graph == "FB15k-237";
    result.verdicts.push_back(curves_verdict(5, graph, 0, 1, /*throughout=*/is_freebase));
    result.verdicts.push_back(curves_verdict(6, graph, 1, 2, /*throughout=*/false));
    parts.push_back(fmt::format("{}: {} epochs, {} seeds", graph.graph, graph.curves.front().epochs().back(),
                                graph.curves.front().seeds.size()));
  }
  result.summary = fmt::format("Validated after each epoch. {}.", fmt::join(parts, "; "));
  return result;
}

Study learning_curves_study() {
  return make_study<LearningCurvesConfig>("learning-curves", "MRR and Hits@1 by epoch for Simple, Hard and HaSa",
                                          run_learning_curves);
}

}  // namespace hasa
