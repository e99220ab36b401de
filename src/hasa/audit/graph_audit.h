#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hasa/audit/graph_shape.h"
#include "hasa/audit/linked_pairs.h"
#include "hasa/audit/relation_patterns.h"
#include "hasa/audit/text_checks.h"
#include "hasa/audit/trivial_rules.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/relation_cardinality.h"

namespace hasa {

/// Something that changes what a score on this graph means.
struct AuditFinding {
  enum class Effect : std::uint8_t {
    raises,    ///< scores come out higher than the task is worth
    lowers,    ///< some answers cannot be found, however good the model
    distorts,  ///< scores are not comparable, or mean less than they seem to
    none,      ///< worth knowing, without effect on a score
  };
  std::string key;  ///< "reversed"
  Effect effect = Effect::none;
  double of_queries = 0;  ///< the fraction of test queries it affects; what findings are ranked by
  std::uint64_t count = 0;
  std::string title;   ///< "1,086 of 3,134 test triples occur in training with head and tail swapped"
  std::string detail;  ///< what that does to a score
  std::string advice;  ///< what to do
  std::vector<std::string> examples;
};

/// A relation, as the audit lists them.
struct AuditRelation {
  std::string name;
  std::array<std::uint64_t, 3> triples = {};  ///< by Split
  Cardinality cardinality = Cardinality::not_in_training;
};

/// What a score on a graph will mean, before anything is trained on it.
struct GraphAudit {
  Audit facts;                           ///< what the import found
  std::vector<AuditFinding> findings;    ///< largest effect on a score first
  std::vector<AuditRelation> relations;  ///< by falling number of triples
  std::array<LinkedPairs, 3> linked;     ///< by Split
  GraphShape shape;
  std::vector<TrivialScore> trivial;
};

/// Takes seconds on the benchmarks; samples where a graph is large. Memory linear in the triples.
GraphAudit audit_graph(const Graph& graph);

const char* to_string(AuditFinding::Effect effect);
/// Whether it moves the scores of test queries, so that their fraction says something to a reader.
bool changes_scores(const AuditFinding& finding);

/// One JSON document: everything above.
std::string to_json(const GraphAudit& audit);
/// Lines for a terminal.
std::string to_table(const GraphAudit& audit);
/// A page with charts.
std::string to_html(const GraphAudit& audit);

}  // namespace hasa
