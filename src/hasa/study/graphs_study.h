#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/study/study.h"

namespace hasa {

/// The paper's Table 1: how large the graphs are and how dense. Nothing is trained.
struct GraphsConfig {
  static GraphsConfig of(StudySize) { return {}; }
  template <class Visitor>
  static void fields(Visitor&) {}
};

/// Ways to count an average degree: the paper does not say which is its own.
struct AverageDegrees {
  double linked = 0;         // entities that share a training triple with an entity, on average
  double linked_in_all = 0;  // the same over all three splits
  double triples = 0;        // training triples at an entity's either end: 2 |T| / |E|
  double triples_in_all = 0;
};
AverageDegrees average_degrees(const Graph& graph);

/// What is counted of a graph.
struct CountedGraph {
  std::string graph;
  std::int64_t entities = 0, relations = 0, train = 0, valid = 0, test = 0;
  AverageDegrees degrees;
  std::vector<std::int64_t> of_degree;  // entities that are linked to so many others in training
};
CountedGraph count_graph(const Graph& graph, const std::string& name);

/// Claim 10, for a graph of the paper's.
Verdict judge_degree(const CountedGraph& counted);

StudyResult graphs_result(const std::vector<CountedGraph>& graphs);

Study graphs_study();

}  // namespace hasa
