#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hasa/kg/graph.h"

namespace hasa {

/// Which queries of a split are ranked. Candidates are never sampled.
struct QuerySample {
  std::int64_t queries = 0;  // 0, or as many as there are: all
  std::uint64_t seed = 1;
};

/// A split's queries: its triples in order as tail queries, then the same as head queries.
std::vector<Triple> queries_of(const Graph& graph, Split split);

/// The indices of a simple random sample of `queries`, without replacement, ascending. They are the first
/// of one random order, so that a larger sample with the same seed contains a smaller one.
std::vector<std::size_t> places_of(const QuerySample& sample, std::size_t queries);

/// Both together.
std::vector<Triple> sampled_queries(const Graph& graph, Split split, const QuerySample& sample);

}  // namespace hasa
