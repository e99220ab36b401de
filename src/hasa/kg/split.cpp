#include "hasa/kg/split.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/rng.h"
#include "hasa/kg/adjacency.h"
#include "hasa/kg/head_groups.h"
#include "hasa/kg/split_dealer.h"

namespace hasa {
namespace {

void check(const SplitOptions& options) {
  for (const auto& [share, name] : {std::pair{options.valid, "valid triples"},
                                    {options.test, "test triples"},
                                    {options.unseen_entities, "unseen entities"}})
    HASA_CHECK(share >= 0 && share < 1, config, "the fraction of {} is {}, expected at least 0 and below 1", name,
               share);
  HASA_CHECK(options.valid + options.test < 1, config,
             "the fractions of valid and test triples are {} and {}; together they leave nothing to train on",
             options.valid, options.test);
  HASA_CHECK(options.unseen_entities == 0 || options.valid + options.test > 0, config,
             "a fraction of {} unseen entities needs a fraction of valid or test triples, and both are 0",
             options.unseen_entities);
}

/// How many triples valid and test are to have.
struct Wanted {
  std::size_t valid, test;

  Wanted(const SplitOptions& options, std::size_t triples)
      : valid(static_cast<std::size_t>(options.valid * static_cast<double>(triples))),
        test(static_cast<std::size_t>(options.test * static_cast<double>(triples))) {}
  bool filled(const SplitDealer& dealer) const {
    return dealer.size(Split::test) >= test && dealer.size(Split::valid) >= valid;
  }
  /// Test is filled first.
  Split next(const SplitDealer& dealer) const { return dealer.size(Split::test) < test ? Split::test : Split::valid; }
};

template <class T>
std::vector<T> shuffled_numbers(std::size_t size, Rng& rng) {
  std::vector<T> order(size);
  std::iota(order.begin(), order.end(), T{0});
  rng.shuffle(order);
  return order;
}

/// Chooses entities that training can do without, so many of them or until valid and test are full.
void hold_out_entities(SplitDealer& dealer, const Wanted& wanted, EntityId entities, RelationId relations,
                       const SplitOptions& options) {
  const Adjacency adjacency(dealer.triples(), entities, relations);
  Rng rng(options.seed, "split unseen entities");
  const auto order = shuffled_numbers<EntityId>(static_cast<std::size_t>(entities), rng);
  const bool by_number = options.unseen_entities > 0;
  auto left = by_number ? static_cast<std::uint64_t>(options.unseen_entities * static_cast<double>(order.size()))
                        : order.size();
  for (const EntityId entity : order) {
    if (left == 0 || (!by_number && wanted.filled(dealer))) break;
    // A state of the generator before the draw: an entity that cannot go draws nothing.
    const Rng::State before = rng.state();
    const bool valid = rng.uniform() * (options.valid + options.test) < options.valid;
    const Split split = by_number ? (valid ? Split::valid : Split::test) : wanted.next(dealer);
    if (dealer.hold_out(entity, adjacency, split)) {
      --left;
    } else {
      rng.set_state(before);
    }
  }
}

/// A split that the unseen entities fill has no queries about others, and nothing to compare theirs with.
void warn_of_full_split(const SplitDealer& dealer, const Wanted& wanted) {
  const std::size_t held_out = dealer.size(Split::test);
  if (wanted.test == 0 || held_out < wanted.test) return;
  log_warning(
      "the unseen entities have {} triples in the test split, which was to have {} in all: it gets no others to "
      "compare them with\nask for fewer unseen entities or a larger test split",
      held_out, wanted.test);
}

/// Fills test, then valid, with triples that training can do without.
void fill(SplitDealer& dealer, const Wanted& wanted, std::uint64_t seed) {
  if (wanted.filled(dealer)) return;
  Rng rng(seed, "split");
  for (const std::uint32_t i : shuffled_numbers<std::uint32_t>(dealer.triples().size(), rng)) {
    if (wanted.filled(dealer)) break;
    dealer.move(i, wanted.next(dealer));
  }
}

/// Each relation gives the same fraction of its triples, rounded at random, so that rare ones are not forgotten.
void fill_by_relation(SplitDealer& dealer, RelationId relations, const SplitOptions& options) {
  std::vector<std::vector<std::uint32_t>> of_relation(static_cast<std::size_t>(relations));
  Rng rng(options.seed, "split");
  for (const std::uint32_t i : shuffled_numbers<std::uint32_t>(dealer.triples().size(), rng))
    of_relation[static_cast<std::size_t>(dealer.triples()[i].relation)].push_back(i);
  for (const std::vector<std::uint32_t>& triples : of_relation) {
    const auto part = [&](double fraction) {
      return static_cast<std::size_t>(fraction * static_cast<double>(triples.size()) + rng.uniform());
    };
    std::size_t test = part(options.test), valid = part(options.valid);
    for (const std::uint32_t i : triples) {
      if (test > 0) {
        test -= dealer.move(i, Split::test) ? 1 : 0;
      } else if (valid > 0) {
        valid -= dealer.move(i, Split::valid) ? 1 : 0;
      }
    }
  }
}

/// Triples between the same two entities, whatever their relation and direction, go together.
void fill_by_pairs(SplitDealer& dealer, const Wanted& wanted, std::uint64_t seed) {
  const auto pair_of = [&](std::uint32_t i) {
    const Triple& t = dealer.triples()[i];
    return std::minmax(t.head, t.tail);
  };
  std::vector<std::uint32_t> by_pair(dealer.triples().size());
  std::iota(by_pair.begin(), by_pair.end(), 0U);
  std::sort(by_pair.begin(), by_pair.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto x = pair_of(a), y = pair_of(b);
    return x != y ? x < y : a < b;
  });
  std::vector<std::span<const std::uint32_t>> groups;
  for (std::size_t begin = 0, end = 0; begin < by_pair.size(); begin = end) {
    while (end < by_pair.size() && pair_of(by_pair[end]) == pair_of(by_pair[begin])) ++end;
    groups.push_back(std::span(by_pair).subspan(begin, end - begin));
  }
  Rng rng(seed, "split");
  rng.shuffle(groups);
  for (const std::span<const std::uint32_t> group : groups) {
    if (wanted.filled(dealer)) break;
    dealer.move(group, wanted.next(dealer));
  }
}

/// The latest to test. Triples of one time are never parted, so the splits can be larger than asked for.
void fill_by_time(SplitDealer& dealer, std::span<const std::int64_t> times, const Wanted& wanted) {
  HASA_CHECK(times.size() == dealer.triples().size(), data,
             "the graph's triples have no times to split by\n"
             "hasa import reads times from a fourth column of dates, or from the one that --columns names");
  std::vector<std::uint32_t> order(times.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return times[a] > times[b]; });
  for (std::size_t begin = 0, end = 0; begin < order.size() && !wanted.filled(dealer); begin = end) {
    while (end < order.size() && times[order[end]] == times[order[begin]]) ++end;
    if (end == order.size()) break;  // the earliest stay in training, whatever is missing
    const Split split = wanted.next(dealer);
    for (std::size_t i = begin; i < end; ++i) dealer.force(order[i], split);
  }
}

std::uint64_t key_of(const Triple& t) {
  return (std::uint64_t{static_cast<std::uint32_t>(t.relation)} << 32) | static_cast<std::uint32_t>(t.tail);
}

}  // namespace

const char* to_string(SplitKind kind) {
  switch (kind) {
    case SplitKind::random: return "random";
    case SplitKind::stratified: return "stratified";
    case SplitKind::inductive: return "inductive";
    case SplitKind::time: return "time";
    case SplitKind::leakage_free: return "leakage-free";
  }
  return "?";
}

SplitKind split_kind_of(std::string_view word) {
  for (const SplitKind kind :
       {SplitKind::random, SplitKind::stratified, SplitKind::inductive, SplitKind::time, SplitKind::leakage_free}) {
    if (word == to_string(kind)) return kind;
  }
  fail(ErrorKind::config, "there is no split by {}; expected random, stratified, inductive, time or leakage-free",
       word);
}

std::vector<Split> split_labels(std::span<const Triple> triples, std::span<const std::int64_t> times, EntityId entities,
                                RelationId relations, const SplitOptions& options) {
  check(options);
  const Wanted wanted(options, triples.size());
  SplitDealer dealer(triples, entities, relations);
  if (options.unseen_entities > 0 || options.kind == SplitKind::inductive)
    hold_out_entities(dealer, wanted, entities, relations, options);
  // By relation, each split gets its fractions of what is left.
  if (options.unseen_entities > 0 && options.kind != SplitKind::inductive && options.kind != SplitKind::stratified)
    warn_of_full_split(dealer, wanted);
  switch (options.kind) {
    case SplitKind::random: fill(dealer, wanted, options.seed); break;
    case SplitKind::stratified: fill_by_relation(dealer, relations, options); break;
    case SplitKind::inductive: break;
    case SplitKind::time: fill_by_time(dealer, times, wanted); break;
    case SplitKind::leakage_free: fill_by_pairs(dealer, wanted, options.seed); break;
  }
  return dealer.take_labels();
}

SplitTriples split_triples(std::vector<Triple> triples, EntityId entities, RelationId relations,
                           const SplitOptions& options) {
  const std::vector<Split> labels = split_labels(triples, {}, entities, relations, options);
  return take_by_label(std::move(triples), labels);
}

Finding drop_duplicates(std::vector<Triple>& triples, std::vector<std::int64_t>& times, EntityId entities,
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
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const Triple t = triples[i];
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
    triples[kept] = t;
    if (!times.empty()) times[kept] = times[i];
    ++kept;
  }
  triples.resize(kept);
  times.resize(times.empty() ? 0 : kept);
  return dropped;
}

}  // namespace hasa
