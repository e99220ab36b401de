#include "hasa/study/language_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "hasa/base/error.h"

namespace hasa {
namespace {

std::string model_name(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  return folder.filename().string();
}

StudyResult run_language_models(const LanguageModelsConfig& config, StudyContext& context) {
  std::set<std::string> names;
  for (const std::string& model : config.models)
    HASA_CHECK(names.insert(model_name(model)).second, config, "two of the models are called {}: rename a folder",
               model_name(model));
  HASA_CHECK(!names.empty(), config, "models: there is none to study");
  std::vector<ModelRuns> graphs;
  for (const StudyGraph& graph : context.graphs()) {
    ModelRuns runs{graph.name, {}, {}};
    for (const std::string& model : config.models) {
      runs.models.push_back(train_seeds(context, config.recipe, graph, "HaSa",
                                        {"language_model.path=" + model, "train.validate_every=1"}, config.seeds));
      runs.models.back().name = model_name(model);
      runs.curves.push_back(curve_of(runs.models.back()));
    }
    graphs.push_back(std::move(runs));
  }
  return language_models_result(graphs);
}

struct ModelPair {
  std::size_t bert, sentences;
};
std::optional<ModelPair> pair_of(const ModelRuns& runs) {
  const auto is_bert = [](const SeededRuns& model) { return model.name.starts_with("bert-base"); };
  const auto bert = std::ranges::find_if(runs.models, is_bert);
  const auto other = std::ranges::find_if_not(runs.models, is_bert);
  if (bert == runs.models.end() || other == runs.models.end()) return std::nullopt;
  return ModelPair{static_cast<std::size_t>(bert - runs.models.begin()),
                   static_cast<std::size_t>(other - runs.models.begin())};
}

/// WN18RR: BERT ends better and the model for sentences is better at first. FB15k-237: the latter is better.
Verdict models_verdict(const ModelRuns& runs, const ModelPair& pair) {
  const SeededRuns &bert = runs.models[pair.bert], &sentences = runs.models[pair.sentences];
  const bool is_freebase = runs.graph == "FB15k-237";
  const SeededRuns &loser = is_freebase ? bert : sentences, &winner = is_freebase ? sentences : bert;
  const Difference end = difference_over_seeds(loser, winner, RankMetric::mrr);
  std::vector<Agreement> findings{is_better(end)};
  std::string sentence = fmt::format("On {}, {}", runs.graph, words(end, RankMetric::mrr, loser.name, winner.name));
  if (!is_freebase) {
    const SeededCurve &of_bert = runs.curves[pair.bert], &of_sentences = runs.curves[pair.sentences];
    const std::int64_t first = of_bert.epochs().front();
    const SeedMean a = of_bert.at(first, &CurvePoint::mrr), b = of_sentences.at(first, &CurvePoint::mrr);
    findings.push_back(b.mean - a.mean > a.deviation + b.deviation ? Agreement::agrees : Agreement::disagrees);
    sentence += fmt::format("; after epoch {}, on validation, {} has {} and {} {}", first, sentences.name, words(b),
                            bert.name, words(a));
  }
  sentence += fmt::format(". {} stands for the paper's Sentence-BERT.", sentences.name);
  return {is_freebase ? 15 : 14, overall(findings), sentence};
}

}  // namespace

LanguageModelsConfig LanguageModelsConfig::of(StudySize size) {
  LanguageModelsConfig config;
  const std::vector<std::string> loss{"loss.kind=hasa", "loss.beta=0.1", "loss.tau=1e-3"};
  config.models = {"all-MiniLM-L6-v2"};
  switch (size) {
    case StudySize::tiny:
      config.recipe.set = {"model.dim=16", "model.context_layers=0", "optimiser.lr=5e-3", "train.epochs=2",
                           "train.batch=256"};
      config.seeds = 1;
      break;
    case StudySize::quick:
      config.recipe = quick_recipe();
      config.seeds = 2;
      break;
    case StudySize::full:
      config.recipe.config = "configs/{graph}_study-frozen.yaml";
      config.models = {"bert-base-uncased", "all-MiniLM-L6-v2"};
      break;
  }
  config.recipe.set.insert(config.recipe.set.end(), loss.begin(), loss.end());
  return config;
}

StudyResult language_models_result(const std::vector<ModelRuns>& graphs) {
  StudyResult result{
      .title = "Language models", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::vector<std::string> parts;
  for (const ModelRuns& runs : graphs) {
    const std::string id = "language-models-" + runs.graph;
    const PageTable table = runs_table("Language models on " + runs.graph, runs.models);
    result.figures.push_back({runs_chart({id, "Test MRR by language model on " + runs.graph,
                                          "Bars of MRR on the test split with their 95% intervals"},
                                         runs.models),
                              "mean over the seeds, with its 95% interval over test triples; signs are single seeds",
                              table});
    for (StudyFigure& figure : curve_figures("language-models", runs.graph, runs.curves))
      result.figures.push_back(std::move(figure));
    result.tables.push_back(table);
    result.files.push_back(runs_csv(id + ".csv", runs.graph, runs.models));
    result.files.push_back(curves_csv(id + "-curves.csv", runs.graph, runs.curves));
    const auto pair = pair_of(runs);
    if (pair) result.verdicts.push_back(models_verdict(runs, *pair));
    parts.push_back(fmt::format(
        "{}: {} model{} with {} seeds each{}", runs.graph, runs.models.size(), runs.models.size() == 1 ? "" : "s",
        runs.models.front().seeds.size(),
        pair ? "" : ", which says nothing of the paper's claims: they compare BERT-base with a model for sentences"));
  }
  result.summary = fmt::format("{}.", fmt::join(parts, "; "));
  return result;
}

Study language_models_study() {
  return make_study<LanguageModelsConfig>("language-models", "HaSa over several language models", run_language_models);
}

}  // namespace hasa
