#include "hasa/families/rules/mine_rules.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

using Counts = std::unordered_map<std::uint64_t, std::uint32_t>;

constexpr std::size_t kEntitiesAtATime = 64;
constexpr std::int64_t kTooMany = 4;  // times the rules with constants to keep: then the worst are dropped

/// Of relations and pairs of them, as keys.
struct Keys {
  std::uint64_t directed;  // relations, with inverses

  std::uint64_t body(RelationId s, RelationId t) const { return static_cast<std::uint64_t>(s) * directed + t; }
  std::uint64_t rule(RelationId s, RelationId t, RelationId r) const { return body(s, t) * directed + r; }
};

/// Keeps those with the largest support, whatever order they come in.
void keep_best(std::vector<Rule>& constants, std::int64_t most) {
  if (std::ssize(constants) <= most) return;
  std::nth_element(constants.begin(), constants.begin() + most, constants.end(),
                   [](const Rule& a, const Rule& b) { return a.support != b.support ? a.support > b.support : a < b; });
  constants.resize(static_cast<std::size_t>(most));
}

float confidence_of(std::uint32_t support, std::uint32_t body, const RuleMiningConfig& config) {
  return static_cast<float>(support / (body + config.smoothing));
}

/// What walks of two edges have found so far. Each thread has its own; sums do not depend on who counted what.
struct WalkCounts {
  Counts bodies;    // pairs (X, Y) that fulfil s, t
  Counts supports;  // those of them that r joins
  std::vector<Rule> constants;

  void add(const WalkCounts& other) {
    for (const auto& [key, count] : other.bodies) bodies[key] += count;
    for (const auto& [key, count] : other.supports) supports[key] += count;
    constants.insert(constants.end(), other.constants.begin(), other.constants.end());
  }
};

/// Walks s(X, Z), t(Z, Y) from each X, a group of X's edges at a time. A pair (t, Y) is known by the group of Y's
/// edges that lead back: so many walks end there, from so many Z, that counting must be an addition to an array.
/// The same walk read from its middle is the rule t(Z, Y) <= s^-1(Z, X) with the constants X and Y.
class Walker {
 public:
  Walker(const EdgeGroups& graph, const RuleMiningConfig& config)
      : graph_(graph),
        config_(config),
        keys_{static_cast<std::uint64_t>(2 * graph.relations())},
        middles_(graph.num_groups(), 0),
        bodies_(2 * static_cast<std::size_t>(graph.relations()), 0),
        joins_(static_cast<std::size_t>(graph.entities()) + 1, 0) {}

  void walk_from(EntityId x) {
    list_joins(x);
    for (GroupId g = graph_.first_group(x); g < graph_.end_group(x); ++g) {
      count_ends(graph_.group(g));
      for (const GroupId end : ends_) read(graph_.group(g), end);
      add_bodies(graph_.group(g).relation);
      for (const GroupId end : ends_) middles_[end] = 0;
      ends_.clear();
    }
    for (const auto& [y, r] : joined_) joins_[y] = 0;
  }
  WalkCounts take() { return std::move(found_); }

 private:
  /// Which relations, not inverses, lead from x to whom.
  void list_joins(EntityId x) {
    joined_.clear();
    for (GroupId g = graph_.first_group(x); g < graph_.end_group(x); ++g) {
      const EdgeGroups::Group& group = graph_.group(g);
      if (group.relation >= graph_.relations()) break;
      for (const EntityId y : graph_.tails(group)) joined_.emplace_back(y, group.relation);
    }
    std::sort(joined_.begin(), joined_.end());
    for (std::size_t i = joined_.size(); i-- > 0;) joins_[joined_[i].first] = static_cast<std::uint32_t>(i) + 1;
  }

  void count_ends(const EdgeGroups::Group& from) {
    for (const EntityId z : graph_.tails(from)) {
      if (z == from.entity) continue;
      for (GroupId h = graph_.first_group(z); h < graph_.end_group(z); ++h) {
        for (const GroupId end : graph_.twins(graph_.group(h))) {
          if (middles_[end]++ == 0) ends_.push_back(end);
        }
      }
    }
  }

  void read(const EdgeGroups::Group& from, GroupId end) {
    const EntityId x = from.entity, y = graph_.group(end).entity;
    if (y == x) return;
    const RelationId t = inverse(graph_.group(end).relation, graph_.relations());
    std::uint32_t middles = middles_[end];
    // A walk along a loop of Y has Y in its middle.
    if (graph_.has_loop(end) && graph_.contains(from, y)) --middles;
    if (middles == 0) return;
    if (config_.constants > 0) read_constant(from, t, y, middles);
    if (!config_.paths) return;
    if (bodies_[t]++ == 0) touched_.push_back(t);
    if (joins_[y] == 0) return;
    for (std::size_t i = joins_[y] - 1; i < joined_.size() && joined_[i].first == y; ++i)
      ++found_.supports[keys_.rule(from.relation, t, joined_[i].second)];
  }

  void read_constant(const EdgeGroups::Group& from, RelationId t, EntityId y, std::uint32_t middles) {
    const std::uint32_t support = middles - 1, body = from.size() - 1;
    if (support < config_.min_support) return;
    const float confidence = confidence_of(support, body, config_);
    if (confidence < config_.min_constant_confidence) return;
    found_.constants.push_back({.kind = RuleKind::constant,
                                .relation = t,
                                .first = inverse(from.relation, graph_.relations()),
                                .given = from.entity,
                                .answer = y,
                                .support = support,
                                .body = body,
                                .confidence = confidence});
    if (std::ssize(found_.constants) >= kTooMany * config_.constants) keep_best(found_.constants, config_.constants);
  }

  void add_bodies(RelationId s) {
    for (const RelationId t : touched_) {
      found_.bodies[keys_.body(s, t)] += bodies_[t];
      bodies_[t] = 0;
    }
    touched_.clear();
  }

  const EdgeGroups& graph_;
  const RuleMiningConfig& config_;
  Keys keys_;
  std::vector<std::uint32_t> middles_;  // of each end (t, Y): how many Z lead there
  std::vector<GroupId> ends_;           // those that are not 0
  std::vector<std::uint32_t> bodies_;   // of each t: how many Y
  std::vector<RelationId> touched_;     // those that are not 0
  std::vector<std::pair<EntityId, RelationId>> joined_;
  std::vector<std::uint32_t> joins_;  // of each entity: 1 + its first place in joined_, or 0
  WalkCounts found_;
};

/// The entities to walk from, in an order that does not follow theirs: as many as the walks allow.
std::vector<EntityId> starts(const EdgeGroups& graph, const RuleMiningConfig& config, std::uint64_t seed) {
  std::vector<EntityId> order(static_cast<std::size_t>(graph.entities()));
  std::iota(order.begin(), order.end(), 0);
  Rng(seed, "rules").shuffle(order);
  std::int64_t walks = 0;
  std::size_t count = 0;
  for (; count < order.size() && walks <= config.walks; ++count) {
    for (GroupId g = graph.first_group(order[count]); g < graph.end_group(order[count]); ++g) {
      for (const EntityId z : graph.tails(graph.group(g))) walks += static_cast<std::int64_t>(graph.degree(z));
    }
  }
  order.resize(count);
  return order;
}

WalkCounts walk(const EdgeGroups& graph, const RuleMiningConfig& config, std::uint64_t seed) {
  const std::vector<EntityId> from = starts(graph, config, seed);
  WalkCounts all;
  std::mutex mutex;
  const std::size_t parts = std::max<std::size_t>(1, thread_count());
  std::atomic<std::size_t> next{0};
  parallel_for(parts, 1, [&](std::size_t, std::size_t) {
    Walker walker(graph, config);
    for (std::size_t begin; (begin = next.fetch_add(kEntitiesAtATime)) < from.size();) {
      for (std::size_t i = begin; i < std::min(from.size(), begin + kEntitiesAtATime); ++i) walker.walk_from(from[i]);
    }
    WalkCounts found = walker.take();
    const std::scoped_lock lock(mutex);
    all.add(found);
  });
  return all;
}

void add_paths(const WalkCounts& found, const EdgeGroups& graph, const RuleMiningConfig& config,
               std::vector<Rule>& rules) {
  const Keys keys{static_cast<std::uint64_t>(2 * graph.relations())};
  for (const auto& [key, support] : found.supports) {
    const std::uint64_t body_key = key / keys.directed;
    const std::uint32_t body = found.bodies.at(body_key);
    const float confidence = confidence_of(support, body, config);
    if (support < config.min_support || confidence < config.min_confidence) continue;
    rules.push_back({.kind = RuleKind::path,
                     .relation = static_cast<RelationId>(key % keys.directed),
                     .first = static_cast<RelationId>(body_key / keys.directed),
                     .second = static_cast<RelationId>(body_key % keys.directed),
                     .support = support,
                     .body = body,
                     .confidence = confidence});
  }
}

void add_edges(const EdgeGroups& graph, const RuleMiningConfig& config, std::vector<Rule>& rules) {
  const Keys keys{static_cast<std::uint64_t>(2 * graph.relations())};
  std::vector<std::uint32_t> bodies(2 * static_cast<std::size_t>(graph.relations()), 0);
  Counts supports;
  std::vector<std::pair<EntityId, RelationId>> edges;
  for (EntityId x = 0; x < graph.entities(); ++x) {
    edges.clear();
    for (GroupId g = graph.first_group(x); g < graph.end_group(x); ++g) {
      for (const EntityId y : graph.tails(graph.group(g))) {
        if (y != x) edges.emplace_back(y, graph.group(g).relation);
      }
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0, end; i < edges.size(); i = end) {
      for (end = i; end < edges.size() && edges[end].first == edges[i].first;) ++end;
      for (std::size_t s = i; s < end; ++s) {
        ++bodies[edges[s].second];
        for (std::size_t r = i; r < end && edges[r].second < graph.relations(); ++r) {
          if (r != s) ++supports[keys.body(edges[s].second, edges[r].second)];
        }
      }
    }
  }
  for (const auto& [key, support] : supports) {
    const auto s = static_cast<RelationId>(key / keys.directed), r = static_cast<RelationId>(key % keys.directed);
    const float confidence = confidence_of(support, bodies[s], config);
    if (support < config.min_support || confidence < config.min_confidence) continue;
    rules.push_back({.kind = RuleKind::edge,
                     .relation = r,
                     .first = s,
                     .support = support,
                     .body = bodies[s],
                     .confidence = confidence});
  }
}

void add_frequencies(const EdgeGroups& graph, const RuleMiningConfig& config, std::vector<Rule>& rules) {
  std::vector<std::uint32_t> triples(2 * static_cast<std::size_t>(graph.relations()), 0);
  for (GroupId g = 0; g < graph.num_groups(); ++g) triples[graph.group(g).relation] += graph.group(g).size();
  for (GroupId g = 0; g < graph.num_groups(); ++g) {
    const EdgeGroups::Group& group = graph.group(g);
    const std::uint32_t body = triples[group.relation];
    rules.push_back({.kind = RuleKind::frequency,
                     .relation = inverse(group.relation, graph.relations()),
                     .answer = group.entity,
                     .support = group.size(),
                     .body = body,
                     .confidence = confidence_of(group.size(), body, config)});
  }
}

}  // namespace

std::vector<Rule> mine_rules(const EdgeGroups& graph, const RuleMiningConfig& config, std::uint64_t seed) {
  std::vector<Rule> rules;
  if (config.frequency) add_frequencies(graph, config, rules);
  if (config.edges) add_edges(graph, config, rules);
  if (config.constants > 0 || config.paths) {
    WalkCounts found = walk(graph, config, seed);
    add_paths(found, graph, config, rules);
    keep_best(found.constants, config.constants);
    rules.insert(rules.end(), found.constants.begin(), found.constants.end());
  }
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) {
    return a.confidence != b.confidence ? a.confidence > b.confidence : a < b;
  });
  return rules;
}

}  // namespace hasa
