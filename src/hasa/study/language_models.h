#pragma once

#include <string>
#include <vector>

#include "hasa/study/learning_curve.h"
#include "hasa/study/study.h"

namespace hasa {

/// The same training over several language models.
struct LanguageModelsConfig {
  StudyRecipe recipe;
  std::vector<std::string> models;
  std::int64_t seeds = 3;

  static LanguageModelsConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = LanguageModelsConfig;
    field("recipe", &C::recipe, "the trainings, their loss too");
    field("models", &C::models,
          "values of language_model.path: names of models that are installed, or any folders of such models");
    field("seeds", &C::seeds, "of each model", Range{1, 100});
  }
};

/// Runs of one graph, a row and a curve for each model. Models are named after their folders.
struct ModelRuns {
  std::string graph;
  std::vector<SeededRuns> models;
  std::vector<SeededCurve> curves;
};

/// The paper's claims are about BERT-base and a model for sentences: verdicts come where one model's name begins with
/// "bert-base" and another one's does not.
StudyResult language_models_result(const std::vector<ModelRuns>& graphs);

Study language_models_study();

}  // namespace hasa
