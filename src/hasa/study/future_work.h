#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// What the paper leaves for later: other graph measures as HaSa's alpha, and hard contexts in HaSa+. And what its loss
/// says of the mutual information of query and answer while it falls.
struct FutureWorkConfig {
  std::int64_t seeds = 3;
  double context_beta = 0.1;
  StudyRecipe recipe;

  static FutureWorkConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = FutureWorkConfig;
    field("seeds", &C::seeds, "of every run, each form with the same ones", Range{1, 100});
    field("context_beta", &C::context_beta, "loss.context_beta of HaSa+ with hard contexts", Range{0.001, 100});
    field("recipe", &C::recipe, "the runs, with loss hasa");
  }
};

/// What a run of one form reached on the test split.
struct FormResult {
  std::string graph;
  std::string form;  // "HaSa, near by Adamic-Adar"
  std::int64_t seed = 0;
  double mrr = 0, hits_at_1 = 0, hits_at_10 = 0;
};

/// An epoch of a run: the mean over its steps of log(1 + K) - loss, in nats, and validation MRR.
struct InformationEpoch {
  std::int64_t epoch = 0;
  double information = 0, valid_mrr = 0;
};
struct InformationCurve {
  std::string graph;
  std::string form;
  std::int64_t seed = 0;
  double answer_entropy = 0;  // of the answers of the training queries: no information can be more
  std::vector<InformationEpoch> epochs;
};

/// The forms that are compared, the one that the rest stand beside first.
inline constexpr const char* kShortestPathForm = "HaSa, near by shortest path";
inline constexpr const char* kSimpleContextForm = "HaSa+, simple contexts";
inline constexpr const char* kHardContextForm = "HaSa+, hard contexts";

/// Claim 20: HaSa is better with another measure than with the shortest path.
Verdict judge_alphas(const std::vector<FormResult>& results);
/// Claim 21: HaSa+ is better with hard contexts.
Verdict judge_contexts(const std::vector<FormResult>& results);
/// Claim 18: as the loss falls the bound rises, and stays below the entropy of the answers.
Verdict judge_information(const std::vector<InformationCurve>& curves);

/// Of the tails of directed training triples, in nats.
double answer_entropy(const Graph& graph);

Study future_work_study();

}  // namespace hasa
