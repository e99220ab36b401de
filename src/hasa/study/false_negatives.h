#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hasa/model/scorer.h"
#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// How many false negatives two ways of drawing negatives bring (the paper's first figure).
struct FalseNegativesConfig {
  double held_out = 0.3;
  std::int64_t seeds = 5;
  std::vector<std::string> batches = {"16", "32", "64", "128", "256"};
  StudyRecipe recipe;

  static FalseNegativesConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = FalseNegativesConfig;
    field("held_out", &C::held_out, "share of the training triples that is missing from the graph", Range{0.01, 0.9});
    field("seeds", &C::seeds, "repetitions, each with triples held out, a run and draws of its own", Range{1, 100});
    field("batches", &C::batches, "sizes of a batch; 2|B| - 1 negatives are drawn for each of its triples");
    field("recipe", &C::recipe, "the run whose scores the hard distribution takes");
  }
};

/// Draws for all retained triples, asked from both ends, in batches of one size.
struct FalseNegativeCount {
  std::string graph;
  std::int64_t seed = 0, batch = 0;
  std::int64_t draws = 0;             // with either sampler
  std::int64_t simple = 0, hard = 0;  // of them held-out truths

  std::int64_t negatives() const { return 2 * batch - 1; }  // for each triple: the paper's K
};

/// Draws from a graph whose test split is what is missing from its train split. `each_query` is called between queries.
FalseNegativeCount count_false_negatives(const Scorer& scorer, const Graph& retained, std::int64_t batch,
                                         std::uint64_t seed, const std::function<void()>& each_query);

/// Claim 1: hard negatives contain more false ones, at each size and on each graph.
Verdict judge_false_negatives(const std::vector<FalseNegativeCount>& counts);

Study false_negatives_study();

}  // namespace hasa
