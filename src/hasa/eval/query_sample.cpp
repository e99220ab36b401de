#include "hasa/eval/query_sample.h"

#include <algorithm>
#include <numeric>

#include "hasa/base/rng.h"

namespace hasa {

std::vector<Triple> queries_of(const Graph& graph, Split split) {
  return with_inverses(graph.triples(split), graph.relations());
}

std::vector<std::size_t> places_of(const QuerySample& sample, std::size_t queries) {
  std::vector<std::size_t> places(queries);
  std::iota(places.begin(), places.end(), 0);
  if (sample.queries <= 0 || static_cast<std::size_t>(sample.queries) >= queries) return places;
  Rng(sample.seed, "query sample").shuffle(places);
  places.resize(static_cast<std::size_t>(sample.queries));
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<Triple> sampled_queries(const Graph& graph, Split split, const QuerySample& sample) {
  const std::vector<Triple> all = queries_of(graph, split);
  std::vector<Triple> chosen;
  for (const std::size_t place : places_of(sample, all.size())) chosen.push_back(all[place]);
  return chosen;
}

}  // namespace hasa
