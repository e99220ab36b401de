#pragma once

#include <span>
#include <string>
#include <vector>

#include "hasa/eval/bootstrap.h"
#include "hasa/eval/metrics.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// The queries that have something in common.
struct Group {
  std::string name;
  Metrics metrics;
  MetricIntervals intervals;
};

/// All queries, told apart by one trait. Groups without queries are left out.
struct Breakdown {
  std::string by;     // "answer_degree", a key
  std::string title;  // "degree of the answer"
  std::vector<Group> groups;
};

/// By direction, relation, cardinality of the relation and direction, degree of the answer and of the entity that is
/// given, distance of the two in the undirected training graph, whether the answer and the given entity occur in
/// training, whether the two are linked there. Degrees count training triples, distances training edges. In their natural order; relations by
/// falling number of queries.
std::vector<Breakdown> break_down(std::span<const RankedQuery> ranked, const Graph& graph,
                                  const BootstrapOptions& options = {});

/// The queries about an entity that no training triple has, as the given one or as the answer, and the others: how good
/// a model is on what is new to it. Empty where no query is about one.
std::vector<Group> by_novelty(std::span<const RankedQuery> ranked, const Graph& graph,
                              const BootstrapOptions& options = {});

}  // namespace hasa
