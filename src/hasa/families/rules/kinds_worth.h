#pragma once

#include <span>
#include <vector>

#include "hasa/eval/breakdown.h"
#include "hasa/eval/ranked_query.h"
#include "hasa/families/rules/rules_scorer.h"

namespace hasa {

/// What each kind of rule is worth on a split that was ranked by all of them:
///
///   rule_kind   each kind alone, and all rules without it
///   best_rule   the queries by the kind of the best rule that gives their answer, "no rule" where none does
std::vector<Breakdown> kinds_worth(const RulesScorer& rules, const Graph& graph, std::span<const RankedQuery> ranked,
                                   const BootstrapOptions& options);

}  // namespace hasa
