#include "hasa/families/fusion/parts_worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hasa/model/query_columns.h"

namespace hasa {
namespace {

/// One way of ranking the queries.
struct Way {
  std::string name;
  std::vector<RankedQuery> ranked;
};

std::vector<Way> rank_every_way(const FusionScorer& fusion, const Graph& graph, Split split, std::int64_t budget) {
  const torch::NoGradGuard no_grad;
  const FusionFeatures& features = fusion.features();
  const std::vector<Triple> triples = with_inverses(graph.triples(split), graph.relations());
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const KnownIndex index(known, fusion.device());
  std::vector<Way> ways{{"all parts", {}}};
  for (std::size_t p = 0; p < features.num_parts(); ++p) {
    ways.push_back({features.name_of_part(p) + " alone", {}});
    ways.push_back({"without " + features.name_of_part(p), {}});
  }
  const std::size_t at_a_time = queries_within(fusion, budget);
  for (std::size_t first = 0; first < triples.size(); first += at_a_time) {
    const auto block = std::span(triples).subspan(first, std::min(at_a_time, triples.size() - first));
    std::vector<Query> queries;
    for (const Triple& triple : block) queries.push_back(query_of(triple));
    const std::vector<torch::Tensor> terms = features.of(queries);
    const torch::Tensor relations = ids_of(queries, fusion.device()).relations;
    const auto add = [&](Way& way, const torch::Tensor& scores) { append_ranks(scores, block, index, way.ranked); };
    add(ways[0], weighed(terms, fusion.weights().all.index_select(0, relations)));
    for (std::size_t p = 0; p < features.num_parts(); ++p) {
      add(ways[1 + 2 * p], terms[features.features_of_part(p).first]);
      const torch::Tensor without = fusion.weights().without[static_cast<std::int64_t>(p)];
      add(ways[2 + 2 * p], weighed(terms, without.index_select(0, relations)));
    }
  }
  return ways;
}

Group group_of(std::string name, std::span<const RankedQuery> ranked, const Graph& graph,
               const BootstrapOptions& options) {
  return {std::move(name), metrics_of(ranked), bootstrap(ranked, graph.relations(), options)};
}

/// Relations by descending number of queries.
std::vector<RelationId> relations_of(std::span<const RankedQuery> ranked, RelationId relations) {
  std::map<RelationId, int> counts;
  for (const RankedQuery& query : ranked) ++counts[query.triple.relation % relations];
  std::vector<RelationId> order;
  for (const auto& [relation, count] : counts) order.push_back(relation);
  std::stable_sort(order.begin(), order.end(), [&](RelationId a, RelationId b) { return counts[a] > counts[b]; });
  return order;
}

}  // namespace

std::vector<Breakdown> parts_worth(const FusionScorer& fusion, const Graph& graph, Split split,
                                   const BootstrapOptions& options, std::int64_t budget_bytes) {
  const std::vector<Way> ways = rank_every_way(fusion, graph, split, budget_bytes);
  Breakdown overall{"part", "part of the fusion", {}}, by_relation{"part_and_relation", "relation and part", {}};
  for (const Way& way : ways) overall.groups.push_back(group_of(way.name, way.ranked, graph, options));
  for (const RelationId relation : relations_of(ways[0].ranked, graph.relations())) {
    for (const Way& way : ways) {
      std::vector<RankedQuery> some;
      for (const RankedQuery& query : way.ranked) {
        if (query.triple.relation % graph.relations() == relation) some.push_back(query);
      }
      by_relation.groups.push_back(
          group_of(fmt::format("{}: {}", graph.relation_text(relation), way.name), some, graph, options));
    }
  }
  return {std::move(overall), std::move(by_relation)};
}

}  // namespace hasa
