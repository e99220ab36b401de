#pragma once

#include <span>
#include <string>
#include <vector>

#include "hasa/eval/bootstrap.h"
#include "hasa/eval/metrics.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A group of queries with a common trait.
struct Group {
  std::string name;
  Metrics metrics;
  MetricIntervals intervals;
};

/// All queries, grouped by one trait. Empty groups are omitted.
struct Breakdown {
  std::string by;     // "answer_degree", a key
  std::string title;  // "degree of the answer"
  std::vector<Group> groups;
};

/// By direction, relation, cardinality of the relation and direction, degree of the answer
/// and of the given entity, distance of the two in the undirected training graph, whether the answer and the given
/// entity occur in training, whether the two are linked there. Degrees count training triples, distances training
/// edges. In natural order; relations by descending number of queries.
std::vector<Breakdown> break_down(std::span<const RankedQuery> ranked, const Graph& graph,
                                  const BootstrapOptions& options = {});

/// Two groups: queries involving an entity without training triples, as the given entity
/// or the answer, and the others. Empty if there are no such queries.
std::vector<Group> by_novelty(std::span<const RankedQuery> ranked, const Graph& graph,
                              const BootstrapOptions& options = {});

}  // namespace hasa
