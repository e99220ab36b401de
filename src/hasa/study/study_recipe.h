#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hasa/job/run_config.h"
#include "hasa/study/study_context.h"

namespace hasa {

/// How the studies train a run: a config file, or the frozen form that suits a CPU, with options over it.
struct StudyRecipe {
  std::string config;
  std::vector<std::string> set;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("config", &StudyRecipe::config,
          "YAML file of the runs, {graph} in its name standing for the graph's (wn18rr, fb15k237); empty: new layers over "
          "a frozen all-MiniLM-L6-v2");
    field("set", &StudyRecipe::set, "options over the file's: train.epochs=2, loss.beta=1");
  }
};

/// What the quick form of a study trains unless it has reasons for more: texts alone over a frozen language model, told
/// from 1,024 entities, some seconds a run on WordNet's animals. Further options come last.
StudyRecipe quick_recipe(const std::vector<std::string>& further = {});

/// The config of a run on `graph`. Further assignments come last: {"loss.kind=hasa"}.
RunConfig run_config_of(const StudyRecipe& recipe, const StudyGraph& graph, std::uint64_t seed,
                        const std::vector<std::string>& further = {});

}  // namespace hasa
