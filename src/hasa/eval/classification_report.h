#pragma once

#include <string>

#include "hasa/eval/certificate.h"
#include "hasa/eval/classification.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A classification and what is to be known about it.
struct ClassificationReport {
  std::string run;
  Split split = Split::test;
  FalseTriplesConfig false_triples;
  Classification result;
  RunFacts facts;
};

/// For a terminal; relations with few triples are left out.
std::string to_table(const ClassificationReport& report, const Graph& graph);
/// Complete: of every relation its threshold too.
std::string to_json(const ClassificationReport& report, const Graph& graph);

}  // namespace hasa
