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

/// All findings, by falling fraction of the test queries they affect; those without effect on a score last.
std::vector<AuditFinding> find_all(const AuditMeasures& measures);

}  // namespace hasa
