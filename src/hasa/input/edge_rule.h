#pragma once

#include "hasa/base/config.h"

namespace hasa {

/// Which training edges an entity's context leaves out while a triple is predicted in training. Evaluation reads every
/// training edge under any rule, since its own triples are not among them.
enum class EdgeRule { exact, pair, none };
inline EnumNames<EdgeRule> names_of(EdgeRule) {
  return {{EdgeRule::exact, "exact"}, {EdgeRule::pair, "pair"}, {EdgeRule::none, "none"}};
}

constexpr const char* kEdgeRuleDoc =
    "with context, which edges are hidden in training: exact: the edge being predicted, in either direction, and no "
    "other; pair: every edge between its two entities, although other edges between them may exist when a new triple "
    "is "
    "predicted; none: no edge, so that the context contains the answer in training and never afterwards, a leak to "
    "ablate with only";

/// For the certificate: "in training without the edge being predicted".
constexpr const char* edge_rule_words(EdgeRule rule) {
  switch (rule) {
    case EdgeRule::exact: return "in training without the edge being predicted";
    case EdgeRule::pair: return "in training without any edge between the two entities of the triple being predicted";
    case EdgeRule::none: break;
  }
  return "in training with the edge being predicted, so that training could read its answers there: a leak, for "
         "ablation only";
}

}  // namespace hasa
