#pragma once

#include <vector>

#include "hasa/audit/graph_audit.h"

namespace hasa {

/// Everything that was measured, to be put into words.
struct AuditMeasures {
  const Graph& graph;
  const RelationPatterns& patterns;
  const std::array<LinkedPairs, 3>& linked;
  const GraphShape& shape;
  const std::vector<TrivialScore>& trivial;
  const TextChecks& texts;
  const std::vector<AuditRelation>& relations;
};

/// What there is to say, by falling fraction of the test queries that it touches; what has no effect on a score last.
std::vector<AuditFinding> find_all(const AuditMeasures& measures);

}  // namespace hasa
