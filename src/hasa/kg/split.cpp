#include "hasa/kg/split.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/kg/adjacency.h"
#include "hasa/kg/head_groups.h"

namespace hasa {
namespace {

void check(const SplitOptions& options) {
  for (const auto& [share, name] : {std::pair{options.valid, "valid triples"},
                                    {options.test, "test triples"},
                                    {options.unseen_entities, "unseen entities"}})
    HASA_CHECK(share >= 0 && share < 1, config, "the share of {} is {}, expected at least 0 and below 1", name, share);
  HASA_CHECK(options.valid + options.test < 1, config,
             "the shares of valid and test triples are {} and {}; together they leave nothing to train on",
             options.valid, options.test);
  HASA_CHECK(options.unseen_entities == 0 || options.valid + options.test > 0, config,
             "a share of {} unseen entities needs a share of valid or test triples, and both are 0",
             options.unseen_entities);
}

/// Deals triples out of training, one label a triple, and knows what training still has.
class Dealer {
 public:
  Dealer(std::span<const Triple> triples, EntityId entities, RelationId relations, const SplitOptions& options)
      : triples_(triples),
        options_(options),
        labels_(triples.size(), Split::train),
        entities_left_(static_cast<std::size_t>(entities), 0),
        relations_left_(static_cast<std::size_t>(relations), 0) {
    for (const Triple& t : triples) count(t, 1);
  }

  /// Chooses entities that training can do without: each of their neighbours and relations keeps a triple.
  void hold_out_entities() {
    if (options_.unseen_entities == 0) return;
    const auto entities = static_cast<EntityId>(entities_left_.size());
    const Adjacency adjacency(triples_, entities, static_cast<RelationId>(relations_left_.size()));
    std::vector<EntityId> order(entities_left_.size());
    std::iota(order.begin(), order.end(), 0);
    Rng rng(options_.seed, "split unseen entities");
    rng.shuffle(order);
    std::vector<bool> held(entities_left_.size());
    auto wanted = static_cast<std::uint64_t>(options_.unseen_entities * static_cast<double>(order.size()));
    for (const EntityId entity : order) {
      if (wanted == 0) break;
      if (!hold_out(entity, adjacency.edges(entity), held)) continue;
      held[entity] = true;
      --wanted;
      const bool valid = rng.uniform() * (options_.valid + options_.test) < options_.valid;
      for (const Edge& edge : adjacency.edges(entity)) {
        if (labels_[edge.triple] == Split::train) label(edge.triple, valid ? Split::valid : Split::test);
      }
    }
  }

  /// Fills test, then valid, to their shares with triples that training can do without.
  void fill() {
    const auto share = [&](double part) {
      return static_cast<std::size_t>(part * static_cast<double>(triples_.size()));
    };
    const std::size_t test = share(options_.test), valid = share(options_.valid);
    if (sizes_[2] >= test && sizes_[1] >= valid) return;
    std::vector<std::uint32_t> order(triples_.size());
    std::iota(order.begin(), order.end(), 0U);
    Rng rng(options_.seed, "split");
    rng.shuffle(order);
    for (const std::uint32_t i : order) {
      if (sizes_[2] >= test && sizes_[1] >= valid) break;
      if (labels_[i] == Split::train && can_leave(triples_[i])) label(i, sizes_[2] < test ? Split::test : Split::valid);
    }
  }

  const std::vector<Split>& labels() const { return labels_; }

 private:
  void count(const Triple& t, int change) {
    entities_left_[t.head] += static_cast<std::uint32_t>(change);
    if (t.tail != t.head) entities_left_[t.tail] += static_cast<std::uint32_t>(change);
    relations_left_[t.relation] += static_cast<std::uint32_t>(change);
  }

  void label(std::size_t triple, Split split) {
    labels_[triple] = split;
    ++sizes_[static_cast<int>(split)];
    count(triples_[triple], -1);
  }

  bool can_leave(const Triple& t) const {
    return entities_left_[t.head] > 1 && entities_left_[t.tail] > 1 && relations_left_[t.relation] > 1;
  }

  /// Whether training can do without all of these edges; leaves no trace.
  bool hold_out(EntityId entity, std::span<const Edge> edges, const std::vector<bool>& held) {
    std::size_t taken = 0;
    bool possible = !edges.empty();
    for (; possible && taken < edges.size(); ++taken) {
      const Triple& t = triples_[edges[taken].triple];
      const bool first_of_loop = t.head != t.tail || edges[taken].relation == t.relation;
      if (labels_[edges[taken].triple] != Split::train || !first_of_loop) continue;
      count(t, -1);
      const EntityId other = edges[taken].neighbour;
      possible = relations_left_[t.relation] > 0 && (other == entity || held[other] || entities_left_[other] > 0);
    }
    while (taken-- > 0) {
      const Triple& t = triples_[edges[taken].triple];
      const bool first_of_loop = t.head != t.tail || edges[taken].relation == t.relation;
      if (labels_[edges[taken].triple] == Split::train && first_of_loop) count(t, 1);
    }
    return possible;
  }

  std::span<const Triple> triples_;
  const SplitOptions& options_;
  std::vector<Split> labels_;
  std::array<std::size_t, 3> sizes_ = {};      // of valid and test
  std::vector<std::uint32_t> entities_left_;   // training triples of each entity
  std::vector<std::uint32_t> relations_left_;  // and of each relation
};

std::uint64_t key_of(const Triple& t) {
  return (std::uint64_t{static_cast<std::uint32_t>(t.relation)} << 32) | static_cast<std::uint32_t>(t.tail);
}

}  // namespace

SplitTriples split_triples(std::vector<Triple> triples, EntityId entities, RelationId relations,
                           const SplitOptions& options) {
  check(options);
  SplitTriples splits;
  Dealer dealer(triples, entities, relations, options);
  dealer.hold_out_entities();
  dealer.fill();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const Split split = dealer.labels()[i];
    if (split == Split::train) {
      triples[kept++] = triples[i];  // in place: training is most of a large graph
    } else {
      splits[static_cast<int>(split)].push_back(triples[i]);
    }
  }
  triples.resize(kept);
  splits[0] = std::move(triples);
  return splits;
}

Finding drop_duplicates(std::vector<Triple>& triples, EntityId entities,
                        const std::function<std::string(const Triple&)>& describe) {
  const HeadGroups groups = group_by_head(entities, [&](const auto& emit) {
    for (const Triple& t : triples) emit(t.head, key_of(t));
  });
  std::vector<bool> repeats(static_cast<std::size_t>(entities));  // heads with a repeated triple
  for (EntityId head = 0; head < entities; ++head) {
    const auto keys = groups.of(head);
    repeats[head] = std::adjacent_find(keys.begin(), keys.end()) != keys.end();
  }
  std::vector<bool> met(groups.keys.size());  // by the place of a triple's first key
  Finding dropped;
  std::size_t kept = 0;
  for (const Triple& t : triples) {
    if (repeats[t.head]) {
      const auto keys = groups.of(t.head);
      const auto first = std::lower_bound(keys.begin(), keys.end(), key_of(t)) - keys.begin();
      const std::size_t place = groups.offsets[t.head] + static_cast<std::size_t>(first);
      if (met[place]) {
        ++dropped.count;
        if (dropped.examples.size() < Finding::kExamples) dropped.examples.push_back(describe(t));
        continue;
      }
      met[place] = true;
    }
    triples[kept++] = t;
  }
  triples.resize(kept);
  return dropped;
}

}  // namespace hasa
