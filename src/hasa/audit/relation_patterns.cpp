#include "hasa/audit/relation_patterns.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace hasa {
namespace {

/// A pair of relations and a direction, as one number.
std::uint64_t rule_key(RelationId head, RelationId body, bool inverse) {
  return (std::uint64_t{static_cast<std::uint32_t>(head)} << 33) |
         (std::uint64_t{static_cast<std::uint32_t>(body)} << 1) | (inverse ? 1 : 0);
}

/// visit(head relation, body relation, inverse) for each conclusion that holds for the training triple.
template <class Visit>
void for_each_conclusion(const TrainPairs& train, EntityId x, RelationId body, EntityId y, const Visit& visit) {
  for (const std::uint64_t key : train.between(y, x)) {
    // A loop is its own reverse, and says nothing of symmetry.
    if (x != y) visit(TrainPairs::relation_of(key), body, true);
  }
  for (const std::uint64_t key : train.between(x, y)) {
    if (TrainPairs::relation_of(key) != body) visit(TrainPairs::relation_of(key), body, false);
  }
}

std::vector<CartesianRelation> find_cartesian(const Graph& graph, const TrainPairs& train,
                                              const PatternOptions& options) {
  const auto relations = static_cast<std::size_t>(graph.relations());
  std::vector<std::unordered_set<EntityId>> heads(relations), tails(relations);
  std::vector<std::uint64_t> triples(relations, 0), test(relations, 0);
  for (EntityId h = 0; h < train.entities(); ++h) {
    for (const std::uint64_t key : train.of(h)) {
      const auto r = static_cast<std::size_t>(TrainPairs::relation_of(key));
      heads[r].insert(h);
      tails[r].insert(TrainPairs::tail_of(key));
      ++triples[r];
    }
  }
  for (const Triple& t : graph.triples(Split::test)) ++test[static_cast<std::size_t>(t.relation)];
  std::vector<CartesianRelation> found;
  for (std::size_t r = 0; r < relations; ++r) {
    const double pairs = static_cast<double>(heads[r].size()) * static_cast<double>(tails[r].size());
    const bool wide =
        heads[r].size() > 1 && tails[r].size() > 1 && pairs >= static_cast<double>(options.cartesian_pairs);
    if (!wide || static_cast<double>(triples[r]) < options.cartesian * pairs) continue;
    found.push_back({static_cast<RelationId>(r), heads[r].size(), tails[r].size(), triples[r], test[r]});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.test > b.test; });
  return found;
}

}  // namespace

std::vector<RelationRule> all_relation_rules(const Graph& graph, const TrainPairs& train) {
  std::unordered_map<std::uint64_t, RelationRule> rules;
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(graph.relations()), 0);
  for (EntityId x = 0; x < train.entities(); ++x) {
    for (const std::uint64_t key : train.of(x)) {
      const RelationId body = TrainPairs::relation_of(key);
      ++sizes[static_cast<std::size_t>(body)];
      for_each_conclusion(train, x, body, TrainPairs::tail_of(key), [&](RelationId head, RelationId of, bool inverse) {
        RelationRule& rule =
            rules.try_emplace(rule_key(head, of, inverse), RelationRule{head, of, inverse}).first->second;
        ++rule.support;
      });
    }
  }
  std::vector<RelationRule> all;
  all.reserve(rules.size());
  for (const auto& [key, rule] : rules) {
    all.push_back(rule);
    all.back().confidence =
        static_cast<double>(rule.support) / static_cast<double>(sizes[static_cast<std::size_t>(rule.body)]);
  }
  std::sort(all.begin(), all.end(), [](const RelationRule& a, const RelationRule& b) {
    return rule_key(a.head, a.body, a.inverse) < rule_key(b.head, b.body, b.inverse);
  });
  return all;
}

RelationPatterns find_relation_patterns(const Graph& graph, const TrainPairs& train, const PatternOptions& options) {
  std::unordered_map<std::uint64_t, RelationRule> kept;
  for (const RelationRule& rule : all_relation_rules(graph, train)) {
    if (rule.support >= options.support && rule.confidence >= options.confidence)
      kept.emplace(rule_key(rule.head, rule.body, rule.inverse), rule);
  }
  RelationPatterns patterns;
  for (const Triple& t : graph.triples(Split::test)) {
    const auto given_away = [&](EntityId from, EntityId to, bool inverse) {
      bool by_another = false;
      for (const std::uint64_t key : train.between(from, to)) {
        const auto rule = kept.find(rule_key(t.relation, TrainPairs::relation_of(key), inverse));
        if (rule == kept.end()) continue;
        ++rule->second.gives_away;
        by_another = by_another || rule->second.body != t.relation;
      }
      return by_another;
    };
    if (t.head != t.tail && given_away(t.tail, t.head, true)) ++patterns.inverse_test;
    if (given_away(t.head, t.tail, false)) ++patterns.equivalent_test;
  }
  for (const auto& [key, rule] : kept) patterns.rules.push_back(rule);
  std::sort(patterns.rules.begin(), patterns.rules.end(), [](const RelationRule& a, const RelationRule& b) {
    if (a.gives_away != b.gives_away) return a.gives_away > b.gives_away;
    if (a.support != b.support) return a.support > b.support;
    return rule_key(a.head, a.body, a.inverse) < rule_key(b.head, b.body, b.inverse);
  });
  patterns.cartesian = find_cartesian(graph, train, options);
  return patterns;
}

}  // namespace hasa
