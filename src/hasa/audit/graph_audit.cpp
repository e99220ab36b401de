#include "hasa/audit/graph_audit.h"

#include <algorithm>

#include "hasa/audit/findings.h"

namespace hasa {
namespace {

std::vector<AuditRelation> list_relations(const Graph& graph) {
  const std::vector<Cardinality> cardinalities = relation_cardinalities(graph);
  std::vector<AuditRelation> relations(static_cast<std::size_t>(graph.relations()));
  for (RelationId r = 0; r < graph.relations(); ++r) {
    relations[static_cast<std::size_t>(r)].name = graph.relation_id(r);
    relations[static_cast<std::size_t>(r)].cardinality = cardinalities[static_cast<std::size_t>(r)];
  }
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split))
      ++relations[static_cast<std::size_t>(t.relation)].triples[static_cast<std::size_t>(split)];
  }
  const auto triples_in = [](const AuditRelation& r) { return r.triples[0] + r.triples[1] + r.triples[2]; };
  std::stable_sort(relations.begin(), relations.end(),
                   [&](const AuditRelation& a, const AuditRelation& b) { return triples_in(a) > triples_in(b); });
  return relations;
}

}  // namespace

GraphAudit audit_graph(const Graph& graph) {
  GraphAudit audit;
  audit.facts = graph.audit();
  const TrainPairs train(graph);
  audit.linked = count_linked_pairs(graph, train);
  audit.relations = list_relations(graph);
  audit.shape = shape_of(graph);
  audit.trivial = score_trivial_rules(graph, train);
  audit.findings = find_all({graph, find_relation_patterns(graph, train), audit.linked, audit.shape, audit.trivial,
                             check_texts(graph), audit.relations});
  return audit;
}

bool changes_scores(const AuditFinding& finding) {
  using enum AuditFinding::Effect;
  return finding.of_queries > 0 && (finding.effect == raises || finding.effect == lowers);
}

const char* to_string(AuditFinding::Effect effect) {
  switch (effect) {
    case AuditFinding::Effect::raises: return "raises";
    case AuditFinding::Effect::lowers: return "lowers";
    case AuditFinding::Effect::distorts: return "distorts";
    case AuditFinding::Effect::none: return "none";
  }
  return "?";
}

}  // namespace hasa
