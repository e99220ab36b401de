#pragma once

#include <cstdint>
#include <string>

#include "hasa/study/study_context.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// The graph without `share` of its training triples, drawn by the seed: what is retained is the new train split, what
/// is missing the new test split, and valid stays. A triple that stands twice in training goes with its copies. The
/// old test split is in neither. Entities and relations keep their numbers.
Graph hold_out(const Graph& graph, double share, std::uint64_t seed);

/// The same retained triples, but the old test split stays: what is missing is in no split, as it is of a graph of
/// which one does not know what is missing.
Graph leave_out(const Graph& graph, double share, std::uint64_t seed);

/// A run trained on what is retained.
struct HeldOutRun {
  StudyGraph graph;              // its train split is what is retained, its test split what is missing
  std::filesystem::path folder;  // of the run
  std::string stamp;             // the folder's name, which holds a hash of options and graph: for `made_from`
  std::string words;             // "frozen, 3 epochs, valid MRR .312"
};
HeldOutRun train_held_out(StudyContext& context, const StudyGraph& graph, const StudyRecipe& recipe, double share,
                          std::int64_t seed);

/// The recipe of such runs: entities by their texts alone, as in the paper, and Simple InfoNCE.
StudyRecipe hold_out_recipe(StudySize size);

}  // namespace hasa
