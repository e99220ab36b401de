#include "hasa/kg/pair_paths.h"

#include <algorithm>
#include <numeric>

#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr std::size_t kSources = 64;

/// The state of 64 searches, used again by the next 64.
class SideBySide {
 public:
  explicit SideBySide(const Neighbours& graph)
      : graph_(graph), seen_(static_cast<std::size_t>(graph.entities())), front_(seen_.size()), next_(seen_.size()) {}

  /// Pairs [begin, end) of `order`, which have at most 64 different first entities, and stand by these.
  void search(std::span<const EntityPair> pairs, std::span<const std::uint32_t> order, std::span<std::int32_t> lengths) {
    start(pairs, order);
    for (std::int32_t length = 0; !open_.empty(); ++length) {
      std::erase_if(open_, [&](const Target& target) {
        if ((seen_[static_cast<std::size_t>(target.entity)] >> target.source & 1) == 0) return false;
        lengths[target.pair] = length;
        return true;
      });
      if (open_.empty() || !step()) break;
    }
  }

 private:
  struct Target {
    std::uint32_t pair;
    EntityId entity;
    std::uint32_t source;
  };

  void start(std::span<const EntityPair> pairs, std::span<const std::uint32_t> order) {
    for (auto* bits : {&seen_, &front_, &next_}) std::ranges::fill(*bits, 0);
    open_.clear();
    at_front_.clear();
    std::uint32_t source = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const EntityPair& pair = pairs[order[i]];
      if (i > 0 && pair.first != pairs[order[i - 1]].first) ++source;
      const auto from = static_cast<std::size_t>(pair.first);
      if (front_[from] == 0) at_front_.push_back(pair.first);
      seen_[from] |= std::uint64_t{1} << source;
      front_[from] = seen_[from];
      open_.push_back({order[i], pair.second, source});
    }
  }

  /// All searches go one edge further; false when none of them has anywhere to go.
  bool step() {
    reached_.clear();
    for (const EntityId entity : at_front_) {
      const std::uint64_t bits = front_[static_cast<std::size_t>(entity)];
      for (const EntityId other : graph_.of(entity)) {
        const auto place = static_cast<std::size_t>(other);
        const std::uint64_t fresh = bits & ~seen_[place];
        if (fresh == 0) continue;
        if (next_[place] == 0) reached_.push_back(other);
        next_[place] |= fresh;
      }
    }
    for (const EntityId entity : at_front_) front_[static_cast<std::size_t>(entity)] = 0;
    for (const EntityId entity : reached_) {
      const auto place = static_cast<std::size_t>(entity);
      seen_[place] |= next_[place];
      front_[place] = next_[place];
      next_[place] = 0;
    }
    at_front_.swap(reached_);
    return !at_front_.empty();
  }

  const Neighbours& graph_;
  std::vector<std::uint64_t> seen_, front_, next_;  // of each entity, a bit for each search
  std::vector<EntityId> at_front_, reached_;        // those with a bit in front_, and in next_
  std::vector<Target> open_;
};

/// Where each group of 64 first entities begins among the pairs in order, and their end.
std::vector<std::size_t> groups_of(std::span<const EntityPair> pairs, std::span<const std::uint32_t> order) {
  std::vector<std::size_t> begins;
  std::size_t sources = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && pairs[order[i]].first == pairs[order[i - 1]].first) continue;
    if (sources++ % kSources == 0) begins.push_back(i);
  }
  begins.push_back(order.size());
  return begins;
}

}  // namespace

std::vector<std::int32_t> path_lengths(const Neighbours& graph, std::span<const EntityPair> pairs) {
  std::vector<std::int32_t> lengths(pairs.size(), kNoPath);
  std::vector<std::uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return pairs[a].first < pairs[b].first; });
  const std::vector<std::size_t> groups = groups_of(pairs, order);
  constexpr std::size_t kGroupsOfAPart = 8;  // share the memory of one search
  parallel_for(groups.size() - 1, kGroupsOfAPart, [&](std::size_t begin, std::size_t end) {
    SideBySide searches(graph);
    for (std::size_t g = begin; g < end; ++g)
      searches.search(pairs, std::span(order).subspan(groups[g], groups[g + 1] - groups[g]), lengths);
  });
  return lengths;
}

}  // namespace hasa
