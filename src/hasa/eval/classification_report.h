#pragma once

#include <string>

#include "hasa/eval/certificate.h"
#include "hasa/eval/classification.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A classification and how it was made.
struct ClassificationReport {
  std::string run;
  Split split = Split::test;
  FalseTriplesConfig false_triples;
  Classification result;
  RunFacts facts;
};

/// For a terminal; relations with few triples are omitted.
std::string to_table(const ClassificationReport& report, const Graph& graph);
/// Complete, with the threshold of every relation.
std::string to_json(const ClassificationReport& report, const Graph& graph);

}  // namespace hasa
