#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A trait of queries: the names of its groups, and the group of each query.
struct QueryTrait {
  std::string by;
  std::string title;
  std::vector<std::string> names;
  std::vector<std::size_t> of_query;
};

/// All the traits of break_down, in its order.
std::vector<QueryTrait> query_traits(std::span<const RankedQuery> ranked, const Graph& graph);

/// 0, 1, 2-3, 4-7, 8-15, ...: the number of the bucket, and its name.
std::size_t degree_bucket(std::size_t degree);
std::string degree_bucket_name(std::size_t bucket);

}  // namespace hasa
