// The audit as one JSON document.

#include <nlohmann/json.hpp>

#include "hasa/audit/graph_audit.h"

namespace hasa {
namespace {

using AuditJson = nlohmann::ordered_json;

AuditJson findings_json(const GraphAudit& audit) {
  AuditJson findings = AuditJson::array();
  for (const AuditFinding& finding : audit.findings)
    findings.push_back({{"key", finding.key},
                        {"effect", to_string(finding.effect)},
                        {"of_test_queries", finding.of_queries},
                        {"count", finding.count},
                        {"title", finding.title},
                        {"detail", finding.detail},
                        {"advice", finding.advice},
                        {"examples", finding.examples}});
  return findings;
}

AuditJson shape_json(const GraphShape& shape) {
  AuditJson json;
  json["components"] = shape.components;
  json["largest_component"] = shape.largest;
  json["test_triples_across_components"] = shape.test_across_components;
  json["entities_by_degree"] = AuditJson::array();
  for (std::size_t bucket = 0; bucket < shape.degrees.size(); ++bucket)
    json["entities_by_degree"].push_back(
        {{"from", bucket == 0 ? 0 : std::uint64_t{1} << (bucket - 1)}, {"entities", shape.degrees[bucket]}});
  for (const Split split : {Split::valid, Split::test}) {
    AuditJson& distances = json["distances"][to_string(split)];
    for (std::size_t d = 0; d < 6; ++d)
      distances[to_string(static_cast<PairDistance>(d))] = shape.distances[static_cast<std::size_t>(split)][d];
  }
  return json;
}

}  // namespace

std::string to_json(const GraphAudit& audit) {
  AuditJson json;
  json["source"] = audit.facts.source;
  json["entities"] = audit.facts.entities;
  json["relations"] = audit.facts.relations;
  for (const Split split : kSplits) {
    const auto i = static_cast<std::size_t>(split);
    json["triples"][to_string(split)] = audit.facts.triples[i];
    json["linked_in_training"][to_string(split)] = {{"triples", audit.linked[i].linked},
                                                    {"fraction", audit.linked[i].fraction()}};
  }
  json["findings"] = findings_json(audit);
  json["trivial_rules"] = AuditJson::array();
  for (const TrivialScore& score : audit.trivial)
    json["trivial_rules"].push_back({{"name", score.name},
                                     {"rule", score.rule},
                                     {"mrr", score.mrr},
                                     {"hits_at_1", score.hits_at_1},
                                     {"hits_at_10", score.hits_at_10},
                                     {"queries", score.queries}});
  json["shape"] = shape_json(audit.shape);
  json["by_relation"] = AuditJson::array();
  for (const AuditRelation& relation : audit.relations)
    json["by_relation"].push_back({{"relation", relation.name},
                                   {"cardinality", to_string(relation.cardinality)},
                                   {"train", relation.triples[0]},
                                   {"valid", relation.triples[1]},
                                   {"test", relation.triples[2]}});
  // A file name need not be UTF-8; JSON must be.
  return json.dump(2, ' ', false, AuditJson::error_handler_t::replace) + "\n";
}

}  // namespace hasa
