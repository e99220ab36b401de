#include "hasa/kg/resplit.h"

#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/kg/read/graph_gatherer.h"

namespace hasa {
namespace {

/// What the graph was before it was split, without what an earlier resplit() said of it.
std::string source_of(const Graph& graph) {
  const std::string& source = graph.audit().source;
  return source.substr(0, source.find(", split by "));
}

}  // namespace

std::string describe(const SplitOptions& options) {
  const std::string unseen = options.unseen_entities > 0
                                 ? fmt::format(", {:g}% of entities unseen", 100 * options.unseen_entities)
                                 : std::string();
  return fmt::format("split by {}, seed {}, {:g}% valid, {:g}% test{}", to_string(options.kind), options.seed,
                     100 * options.valid, 100 * options.test, unseen);
}

Graph resplit(const Graph& graph, const SplitOptions& options) {
  GraphGatherer gatherer(graph);
  std::vector<Triple> all;
  std::vector<std::int64_t> times;
  for (const Split split : kSplits) {
    all.insert(all.end(), graph.triples(split).begin(), graph.triples(split).end());
    if (graph.has_times()) {
      times.insert(times.end(), graph.times(split).begin(), graph.times(split).end());
      times.resize(all.size(), INT64_MIN);
    }
  }
  const Finding dropped = drop_duplicates(all, times, graph.entities(), [&](const Triple& t) {
    return fmt::format("{} {} {}", graph.entity_id(t.head), graph.relation_id(t.relation), graph.entity_id(t.tail));
  });
  const std::vector<Split> labels = split_labels(all, times, graph.entities(), graph.relations(), options);
  for (auto& split : gatherer.triples) split.clear();
  for (auto& split : gatherer.times) split.clear();
  GraphParts parts = gatherer.take_parts();
  parts.found.source = fmt::format("{}, {}", source_of(graph), describe(options));
  parts.found.dropped_duplicates = dropped;
  if (!times.empty()) parts.times = take_by_label(std::move(times), labels);
  parts.triples = take_by_label(std::move(all), labels);
  return Graph(std::move(parts));
}

}  // namespace hasa
