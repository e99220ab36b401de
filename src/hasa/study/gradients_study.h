#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// What a false negative's gradient does (the paper's Remark 1), on queries whose missing answers are known because
/// they were held out: the runs are those of false-negatives.
struct GradientsConfig {
  double held_out = 0.3;
  std::int64_t queries = 200;
  StudyRecipe recipe;

  static GradientsConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = GradientsConfig;
    field("held_out", &C::held_out, "share of the training triples that is missing from the graph", Range{0.01, 0.9});
    field("queries", &C::queries, "queries with a missing answer, drawn at random", Range{1, 1e6});
    field("recipe", &C::recipe, "the run whose embeddings are taken");
  }
};

/// Of one query with its answer and a false negative among all others.
struct FalseNegativeGradient {
  double cosine = 0;         // of dL/de in the false negative's embedding and in the answer's
  double score_change = 0;   // of the false negative, where its embedding takes a small step down its own gradient
  double printed_error = 0;  // |dL/de_j - dL/de_t - e_hr| / |e_hr|: 0 if the equation of the remark's proof held
  double sum_error = 0;      // |sum over all negatives of dL/de_j + dL/de_t| / |dL/de_t|: 0 by the formulas above it
};

/// L is Simple InfoNCE of dot products, computed in double by autograd. query [dim], candidates [n, dim]: the answer
/// and its negatives, of which `false_negative` is one.
FalseNegativeGradient gradient_of(const torch::Tensor& query, const torch::Tensor& candidates, std::int64_t answer,
                                  std::int64_t false_negative);

struct GraphGradients {
  std::string graph;
  std::vector<FalseNegativeGradient> queries;
};

/// Claim 19: opposite directions, so that false negatives are pushed away.
Verdict judge_gradients(const GraphGradients& found);

StudyResult gradients_result(const std::vector<GraphGradients>& graphs);

Study gradients_study();

}  // namespace hasa
