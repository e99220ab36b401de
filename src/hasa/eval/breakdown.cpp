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

std::vector<Group> by_novelty(std::span<const RankedQuery> ranked, const Graph& graph,
                              const BootstrapOptions& options) {
  std::vector<bool> seen(static_cast<std::size_t>(graph.entities()));
  const auto place = [](EntityId e) { return static_cast<std::size_t>(e); };
  for (const Triple& t : graph.triples(Split::train)) seen[place(t.head)] = seen[place(t.tail)] = true;
  std::vector<RankedQuery> about_unseen, others;
  for (const RankedQuery& query : ranked) {
    const bool both_seen = seen[place(query.triple.head)] && seen[place(query.triple.tail)];
    (both_seen ? others : about_unseen).push_back(query);
  }
  std::vector<Group> groups;
  if (about_unseen.empty()) return groups;
  const auto add = [&](const char* name, const std::vector<RankedQuery>& part) {
    groups.push_back({name, metrics_of(part), bootstrap(part, graph.relations(), options)});
  };
  add("about unseen entities", about_unseen);
  if (!others.empty()) add("about the others", others);
  return groups;
}

}  // namespace hasa
