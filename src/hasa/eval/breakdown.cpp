#include "hasa/eval/breakdown.h"

#include <algorithm>

#include "hasa/eval/query_traits.h"

namespace hasa {

std::vector<Breakdown> break_down(std::span<const RankedQuery> ranked, const Graph& graph,
                                  const BootstrapOptions& options) {
  std::vector<Breakdown> breakdowns;
  for (const QueryTrait& trait : query_traits(ranked, graph)) {
    std::vector<std::vector<RankedQuery>> parts(trait.names.size());
    for (std::size_t i = 0; i < ranked.size(); ++i) parts[trait.of_query[i]].push_back(ranked[i]);
    Breakdown& made = breakdowns.emplace_back(Breakdown{trait.by, trait.title, {}});
    for (std::size_t g = 0; g < parts.size(); ++g) {
      if (parts[g].empty()) continue;
      made.groups.push_back({trait.names[g], metrics_of(parts[g]), bootstrap(parts[g], graph.relations(), options)});
    }
    if (trait.by != "relation") continue;
    std::stable_sort(made.groups.begin(), made.groups.end(),
                     [](const Group& a, const Group& b) { return a.metrics.queries > b.metrics.queries; });
  }
  return breakdowns;
}

}  // namespace hasa
