#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/kg/known_answers.h"
#include "hasa/kg/neighbours.h"
#include "hasa/model/scorer.h"
#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// Which negatives HaSa takes for false ones, and how often it is right.
struct InspectorConfig {
  std::int64_t queries = 2000;
  std::int64_t depth = 10;
  std::int64_t shown = 1000;
  std::int64_t seed = 1;
  StudyRecipe recipe;

  static InspectorConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = InspectorConfig;
    field("queries", &C::queries, "training queries that are looked at, drawn at random", Range{1, 1e9});
    field("depth", &C::depth, "negatives of a query that are judged: those that are discounted most", Range{1, 1000});
    field("shown", &C::shown, "rows of the page, the heaviest discounts first; the file has all", Range{1, 100000});
    field("seed", &C::seed, "of the run and of the choice of queries");
    field("recipe", &C::recipe, "the run, with loss hasa");
  }
};

/// A negative that HaSa discounts.
struct DiscountedNegative {
  EntityId head = 0;
  RelationId relation = 0;
  EntityId tail = 0;
  std::int32_t distance = 0;  // 1 or 2
  double weight = 0;          // its share of what is taken off the query's negatives
  bool is_true = false;       // in the validation or test split
};

/// What one query came to. Where it has fewer candidates than the depth, all of them are taken.
struct InspectedQuery {
  std::vector<DiscountedNegative> discounted;  // heaviest first
  double known_weight = 0;                     // share of the discount that falls on its known training answers
  std::int64_t hardest_true = 0;               // truths among as many of the best-scored negatives, near or not
  double random_true = 0;                      // expected among as many random negatives
  double random_near_true = 0;                 // and among random ones within two steps of the head

  std::int64_t true_ones() const;
};

/// With samples of N2(head) without number, HaSa takes off tau * sum over t in N2(head) of v_t e^s_t, where v is the
/// softmax of beta * s over N2(head). A negative's weight is its share of that sum.
InspectedQuery inspect(const Query& query, const std::vector<float>& scores, double beta, std::int64_t depth,
                       const Neighbours& graph, const KnownAnswers& known, const KnownAnswers& held_back);

/// Precisions, over queries.
struct InspectorFigures {
  std::int64_t queries = 0, judged = 0;
  std::vector<double> discounted, hardest, random, random_near;  // truths of each query, and how many were judged:
  std::vector<double> depths;
  double known_weight = 0;  // mean
};
InspectorFigures figures_of(const std::vector<InspectedQuery>& queries);

/// Claim 2: what is near and scored high is more often true than what is scored as high wherever it is, and than a
/// random negative.
Verdict judge_inspection(const InspectorFigures& figures);

Study inspector_study();

}  // namespace hasa
