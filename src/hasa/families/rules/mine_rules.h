#pragma once

#include <cstdint>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/families/rules/edge_groups.h"
#include "hasa/families/rules/rule.h"

namespace hasa {

/// Which rules are mined, and which are kept.
struct RuleMiningConfig {
  bool frequency = true;
  std::int64_t constants = 1'000'000;
  bool edges = true;
  bool paths = true;
  double smoothing = 5;
  std::int64_t min_support = 2;
  double min_confidence = 0.001;
  double min_constant_confidence = 0.1;
  std::int64_t walks = 400'000'000;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = RuleMiningConfig;
    field("frequency", &C::frequency, "rules r(X, c): how often c answered r");
    field("constants", &C::constants,
          "maximum number of rules r(X, c) <= s(X, d) to keep (s to d implies r to c), those with the largest support; "
          "0 for none",
          Range{0, 1e9});
    field("edges", &C::edges, "rules r(X, Y) <= s(X, Y) and s(Y, X)");
    field("paths", &C::paths, "rules r(X, Y) <= s(X, Z), t(Z, Y), each edge in either direction");
    field("smoothing", &C::smoothing,
          "added to the number of pairs that satisfy a body, so that rarely seen rules are trusted less",
          Range{0, 1000});
    field("min_support", &C::min_support, "minimum support: training triples that a rule must predict", Range{1, 1e6});
    field("min_confidence", &C::min_confidence, "minimum confidence of a rule without constants", Range{0, 1});
    field("min_constant_confidence", &C::min_constant_confidence, "minimum confidence of a rule r(X, c) <= s(X, d)",
          Range{0, 1});
    field("walks", &C::walks,
          "maximum number of two-edge walks to count; if the graph has more, those from a random sample of its "
          "entities are counted",
          Range{1, 1e15});
  }
};

/// The rules of a graph, by descending confidence; edges and
/// paths only for r < relations() (seen_from_the_answer gives the others). Confidence is support / (body + smoothing).
///
/// The triple that a rule predicts never satisfies its own body: copies are one edge, and X, Y and Z are all
/// different, so no edge of a body joins X and Y but those of an edge rule, whose relation is another (or the same one
/// the other way round, which is another fact). A rule with constants is generated from one of its own
/// examples, which is not evidence: it counts in neither support nor body.
std::vector<Rule> mine_rules(const EdgeGroups& graph, const RuleMiningConfig& config, std::uint64_t seed);

}  // namespace hasa
