#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "hasa/families/rules/edge_groups.h"
#include "hasa/families/rules/rule.h"
#include "hasa/model/query.h"

namespace hasa {

/// A rule that predicts an answer of a query, and how.
struct Firing {
  Rule rule;
  std::vector<EntityId> middles;  // of a path: the possible entities Z
};

/// Rules prepared for scoring over a graph's training edges.
class RuleBook {
 public:
  /// `rules` as returned by mine_rules. The graph must outlive the book.
  RuleBook(const EdgeGroups& graph, const std::vector<Rule>& rules);

  std::set<RuleKind> kinds() const;
  /// A book of the rules of some kinds alone.
  RuleBook of_kinds(const std::function<bool(RuleKind)>& wanted) const;

  /// Scores of all entities, [entities]: the confidence of the best rule that predicts an entity, plus 2^-8 of
  /// the next one's, 2^-16 of the one after, ... So entities are ordered
  /// by their best rule, and near-ties by the next one. 0: no rule predicts it.
  void score(const Query& query, std::span<float> scores) const;

  /// The rules that predict this answer, best first.
  std::vector<Firing> firings(const Query& query, EntityId answer) const;

 private:
  /// Calls visit(rule, Y) for every prediction of a rule; repeatedly, in succession, for every Z of a path.
  template <class Visit>
  void for_each_answer(const Query& query, const Visit& visit) const;
  template <class Visit>
  void visit_path(const Rule& rule, EntityId x, const Visit& visit) const;
  std::span<const Rule> constants_of(RelationId relation, RelationId first, EntityId given) const;

  const EdgeGroups& graph_;
  std::vector<std::vector<Rule>> general_;  // of each directed relation: those without a constant in the body
  std::vector<Rule> constants_;             // by relation, first and given
};

}  // namespace hasa
