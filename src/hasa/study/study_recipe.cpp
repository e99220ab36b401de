#include "hasa/study/study_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/file.h"

namespace hasa {
namespace {

constexpr std::string_view kGraphInPath = "{graph}";

/// As the files in configs/ are named: WN18RR is wn18rr, FB15k-237 is fb15k237.
std::string file_word(std::string name) {
  std::erase(name, '-');
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

StudyRecipe quick_recipe(const std::vector<std::string>& further) {
  StudyRecipe recipe;
  recipe.set = {"model.dim=64",      "model.context_layers=0", "negatives.candidates=1024",
                "optimiser.lr=4e-3", "train.epochs=2",         "train.batch=256"};
  recipe.set.insert(recipe.set.end(), further.begin(), further.end());
  return recipe;
}

RunConfig run_config_of(const StudyRecipe& recipe, const StudyGraph& graph, std::uint64_t seed,
                        const std::vector<std::string>& further) {
  RunConfig config;
  std::string file = recipe.config;
  if (const std::size_t at = file.find(kGraphInPath); at != std::string::npos)
    file.replace(at, kGraphInPath.size(), file_word(graph.name));
  if (!file.empty()) apply_yaml(fields_of(config), read_file(file), file);
  for (const std::string& each : recipe.set) apply_assignment(fields_of(config), each);
  for (const std::string& each : further) apply_assignment(fields_of(config), each);
  config.graph = graph.folder.string();
  config.seed = seed;
  return config;
}

}  // namespace hasa
