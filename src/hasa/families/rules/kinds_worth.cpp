#include "hasa/families/rules/kinds_worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "hasa/base/thread_pool.h"
#include "hasa/eval/ranking.h"

namespace hasa {
namespace {

Group group_of_rules(std::string name, std::span<const RankedQuery> ranked, const Graph& graph,
                     const BootstrapOptions& options) {
  return {std::move(name), metrics_of(ranked), bootstrap(ranked, graph.relations(), options)};
}

/// The kind of the best rule that gives each query's answer.
std::vector<std::optional<RuleKind>> best_kinds(const RuleBook& book, std::span<const RankedQuery> ranked) {
  constexpr std::size_t kQueriesOfAThread = 32;
  std::vector<std::optional<RuleKind>> kinds(ranked.size());
  parallel_for(ranked.size(), kQueriesOfAThread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Triple& triple = ranked[i].triple;
      const std::vector<Firing> firings = book.firings(query_of(triple), triple.tail);
      if (!firings.empty()) kinds[i] = firings[0].rule.kind;
    }
  });
  return kinds;
}

}  // namespace

std::vector<Breakdown> kinds_worth(const RulesScorer& rules, const Graph& graph, std::span<const RankedQuery> ranked,
                                   const BootstrapOptions& options) {
  std::vector<Triple> queries;
  for (const RankedQuery& query : ranked) queries.push_back(query.triple);
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const std::set<RuleKind> present = rules.book().kinds();
  Breakdown by_kind{"rule_kind", "kind of rule", {}}, by_best{"best_rule", "best rule that gives the answer", {}};
  by_kind.groups.push_back(group_of_rules("all kinds", ranked, graph, options));
  for (const RuleKind kind : present) {
    const auto alone = [&](RuleKind each) { return each == kind; };
    const auto others = [&](RuleKind each) { return each != kind; };
    by_kind.groups.push_back(group_of_rules(fmt::format("{} alone", to_string(kind)),
                                            rank_queries(rules.of_kinds(alone), queries, known), graph, options));
    by_kind.groups.push_back(group_of_rules(fmt::format("without {}", to_string(kind)),
                                            rank_queries(rules.of_kinds(others), queries, known), graph, options));
  }
  const std::vector<std::optional<RuleKind>> kinds = best_kinds(rules.book(), ranked);
  std::vector<std::pair<std::string, std::optional<RuleKind>>> names{{"no rule", std::nullopt}};
  for (const RuleKind kind : present) names.emplace_back(to_string(kind), kind);
  for (const auto& [name, kind] : names) {
    std::vector<RankedQuery> some;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      if (kinds[i] == kind) some.push_back(ranked[i]);
    }
    if (!some.empty()) by_best.groups.push_back(group_of_rules(name, some, graph, options));
  }
  return {std::move(by_kind), std::move(by_best)};
}

}  // namespace hasa
