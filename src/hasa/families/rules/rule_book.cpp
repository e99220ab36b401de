#include "hasa/families/rules/rule_book.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace hasa {
namespace {

constexpr std::size_t kRulesThatCount = 3;  // of an answer; a float32 holds no more of them
constexpr float kNextRule = 1.F / 256;

/// The confidences of the best rules that gave an answer, falling.
class BestRules {
 public:
  void add(float confidence) {
    for (float& held : best_) {
      if (confidence > held) std::swap(confidence, held);
    }
  }
  float score() const {
    float score = 0;
    for (std::size_t i = kRulesThatCount; i-- > 0;) score = score * kNextRule + best_[i];
    return score;
  }

 private:
  std::array<float, kRulesThatCount> best_{};
};

/// What one query has found of an entity.
struct Gathered {
  const Rule* last = nullptr;  // the rule that gave it last: a path counts once, whatever its middles
  BestRules best;
};

/// Kept from query to query by each thread: clearing it costs what was found, not what there is.
struct Scratch {
  std::vector<Gathered> of_entity;
  std::vector<EntityId> found;
};

Scratch& scratch(EntityId entities) {
  static thread_local Scratch own;
  if (own.of_entity.size() != static_cast<std::size_t>(entities)) own.of_entity.assign(entities, {});
  return own;
}

auto key_of(const Rule& rule) { return std::tuple(rule.relation, rule.first, rule.given); }

}  // namespace

RuleBook::RuleBook(const EdgeGroups& graph, const std::vector<Rule>& rules)
    : graph_(graph), general_(2 * static_cast<std::size_t>(graph.relations())) {
  for (const Rule& rule : rules) {
    if (rule.kind == RuleKind::constant) {
      constants_.push_back(rule);
      continue;
    }
    general_[rule.relation].push_back(rule);
    if (rule.kind == RuleKind::frequency) continue;
    const Rule other = seen_from_the_answer(rule, graph.relations());
    general_[other.relation].push_back(other);
  }
  std::stable_sort(constants_.begin(), constants_.end(),
                   [](const Rule& a, const Rule& b) { return key_of(a) < key_of(b); });
}

std::span<const Rule> RuleBook::constants_of(RelationId relation, RelationId first, EntityId given) const {
  const auto [begin, end] =
      std::equal_range(constants_.begin(), constants_.end(), Rule{.relation = relation, .first = first, .given = given},
                       [](const Rule& a, const Rule& b) { return key_of(a) < key_of(b); });
  return {begin, end};
}

template <class Visit>
void RuleBook::visit_path(const Rule& rule, EntityId x, const Visit& visit) const {
  const auto from = graph_.find(x, rule.first);
  if (!from) return;
  for (const EntityId z : graph_.tails(graph_.group(*from))) {
    const auto on = z == x ? std::nullopt : graph_.find(z, rule.second);
    if (!on) continue;
    for (const EntityId y : graph_.tails(graph_.group(*on))) {
      if (y != x && y != z) visit(rule, y, z);
    }
  }
}

template <class Visit>
void RuleBook::for_each_answer(const Query& query, const Visit& visit) const {
  const EntityId x = query.given;
  for (const Rule& rule : general_[query.relation]) {
    if (rule.kind == RuleKind::frequency) visit(rule, rule.answer, x);
    if (rule.kind == RuleKind::path) visit_path(rule, x, visit);
    if (rule.kind != RuleKind::edge) continue;
    if (const auto edges = graph_.find(x, rule.first)) {
      for (const EntityId y : graph_.tails(graph_.group(*edges))) {
        if (y != x) visit(rule, y, x);
      }
    }
  }
  for (GroupId g = graph_.first_group(x); !constants_.empty() && g < graph_.end_group(x); ++g) {
    for (const EntityId given : graph_.tails(graph_.group(g))) {
      for (const Rule& rule : constants_of(query.relation, graph_.group(g).relation, given)) {
        if (rule.answer != x && given != x) visit(rule, rule.answer, x);
      }
    }
  }
}

std::set<RuleKind> RuleBook::kinds() const {
  std::set<RuleKind> kinds;
  for (const std::vector<Rule>& rules : general_) {
    for (const Rule& rule : rules) kinds.insert(rule.kind);
  }
  if (!constants_.empty()) kinds.insert(RuleKind::constant);
  return kinds;
}

RuleBook RuleBook::of_kinds(const std::function<bool(RuleKind)>& wanted) const {
  RuleBook book = *this;
  const auto unwanted = [&](const Rule& rule) { return !wanted(rule.kind); };
  for (std::vector<Rule>& rules : book.general_) std::erase_if(rules, unwanted);
  std::erase_if(book.constants_, unwanted);
  return book;
}

void RuleBook::score(const Query& query, std::span<float> scores) const {
  Scratch& own = scratch(graph_.entities());
  for_each_answer(query, [&](const Rule& rule, EntityId y, EntityId) {
    Gathered& found = own.of_entity[y];
    if (found.last == nullptr) own.found.push_back(y);
    if (found.last != &rule) found.best.add(rule.confidence);
    found.last = &rule;
  });
  std::fill(scores.begin(), scores.end(), 0.F);
  for (const EntityId y : own.found) {
    scores[y] = own.of_entity[y].best.score();
    own.of_entity[y] = {};
  }
  own.found.clear();
}

std::vector<Firing> RuleBook::firings(const Query& query, EntityId answer) const {
  std::vector<Firing> firings;
  const Rule* last = nullptr;
  for_each_answer(query, [&](const Rule& rule, EntityId y, EntityId z) {
    if (y != answer) return;
    if (last != &rule) firings.push_back({rule, {}});
    last = &rule;
    if (rule.kind == RuleKind::path) firings.back().middles.push_back(z);
  });
  std::stable_sort(firings.begin(), firings.end(),
                   [](const Firing& a, const Firing& b) { return a.rule.confidence > b.rule.confidence; });
  return firings;
}

}  // namespace hasa
