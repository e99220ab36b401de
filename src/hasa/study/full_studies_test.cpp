#include <filesystem>

#include "hasa/base/testing.h"
#include "hasa/study/dimension_and_batch.h"
#include "hasa/study/embeddings_study.h"
#include "hasa/study/language_models.h"
#include "hasa/study/learning_curves.h"
#include "hasa/study/loss_table.h"
#include "hasa/study/structure_study.h"
#include "hasa/study/systems_study.h"
#include "hasa/study/tau_ablation.h"

namespace hasa {
namespace {

/// The config of a run on a graph, with the file looked for in the source tree.
RunConfig config_for(StudyRecipe recipe, const std::string& graph, const std::vector<std::string>& further = {}) {
  recipe.config = (std::filesystem::path(HASA_SOURCE_DIR) / recipe.config).string();
  return run_config_of(recipe, {graph, "graphs/" + graph}, 1, further);
}

constexpr std::array kGraphs = {"WN18RR", "FB15k-237"};

TEST(FullStudies, HaveConfigsThatTakeEveryOptionOfTheirGrids) {
  const LossTableConfig losses = LossTableConfig::of(StudySize::full);
  for (const char* graph : kGraphs) {
    for (const LossChoice& loss : loss_choices(losses)) {
      for (std::size_t k = 0; k < loss.grid.size(); ++k) {
        std::vector<std::string> options = loss.fixed;
        for (const std::string& each : loss.grid.at(k)) options.push_back(each);
        for (const StudyRecipe& recipe : {losses.trials, losses.runs})
          EXPECT_NO_THROW(check_options(config_for(recipe, graph, options), torch::kCPU)) << graph << loss.name;
        for (const std::string& each : OptionGrid(losses.later).at(0)) options.push_back(each);
        EXPECT_NO_THROW(check_options(config_for(losses.later_trials, graph, options), torch::kCPU)) << graph;
      }
    }
    const TauAblationConfig taus = TauAblationConfig::of(StudySize::full);
    for (const std::string& tau : taus.taus)
      EXPECT_NO_THROW(config_for(taus.recipe, graph, {"loss.kind=hasa", "loss.tau=" + tau}));
    const DimensionAndBatchConfig sizes = DimensionAndBatchConfig::of(StudySize::full);
    EXPECT_NO_THROW(config_for(sizes.recipe, graph, {"model.dim=100", "train.batch=64"}));
    const StructureConfig structure = StructureConfig::of(StudySize::full);
    EXPECT_NO_THROW(check_options(config_for(structure.recipe, graph, {"negatives.candidates=1024"}), torch::kCPU));
    for (const std::string& each : SystemsConfig::of(StudySize::full).systems) {
      const SystemOptions system = parse_system(each);
      EXPECT_NO_THROW(check_options(config_for(system.recipe, graph), torch::kCPU)) << each;
    }
    const LanguageModelsConfig models = LanguageModelsConfig::of(StudySize::full);
    EXPECT_EQ(models.models.size(), 2U);
    EXPECT_NO_THROW(config_for(models.recipe, graph, {"language_model.path=" + models.models[0]}));
    EXPECT_NO_THROW(config_for(EmbeddingsStudyConfig::of(StudySize::full).recipe, graph));
    EXPECT_NO_THROW(config_for(LearningCurvesConfig::of(StudySize::full).losses.runs, graph,
                               LearningCurvesConfig::of(StudySize::full).options));
  }
}

TEST(FullStudies, TakeTheOptionsOfEveryAblation) {
  const LossTableConfig losses = LossTableConfig::of(StudySize::full);
  for (const std::string& text : losses.ablations) {
    const Ablation ablation = parse_ablation(text);
    EXPECT_FALSE(ablation.options.empty());
    EXPECT_NO_THROW(check_options(config_for(losses.runs, "WN18RR", ablation.options), torch::kCPU)) << ablation.name;
  }
}

}  // namespace
}  // namespace hasa
