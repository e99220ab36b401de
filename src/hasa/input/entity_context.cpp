#include "hasa/input/entity_context.h"

#include <algorithm>

namespace hasa {
namespace {

/// `count` distinct numbers below `size` in random order, or all if there are no more (Floyd's method).
std::vector<std::uint32_t> some_of(std::size_t size, std::size_t count, Rng& rng) {
  std::vector<std::uint32_t> numbers;
  const std::size_t taken = std::min(size, count);
  numbers.reserve(taken);
  for (std::size_t i = size - taken; i < size; ++i) {
    const auto number = static_cast<std::uint32_t>(rng.below(i + 1));
    const bool there = std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    numbers.push_back(there ? static_cast<std::uint32_t>(i) : number);
  }
  rng.shuffle(numbers);
  return numbers;
}

/// Edges of an entity are in ascending triple order.
struct ByTriple {
  bool operator()(const Edge& edge, std::uint32_t triple) const { return edge.triple < triple; }
  bool operator()(std::uint32_t triple, const Edge& edge) const { return triple < edge.triple; }
};

}  // namespace

EntityContext::EntityContext(const Graph& graph, std::size_t edges, EdgeRule hidden)
    : adjacency_(graph), edges_(edges), hidden_(hidden) {}

void EntityContext::choose(EntityId entity, std::uint32_t draw, std::vector<Edge>& chosen) const {
  Rng rng(draw, "context", static_cast<std::uint64_t>(entity));
  const std::span<const Edge> all = adjacency_.edges(entity);
  chosen.clear();
  for (const std::uint32_t i : some_of(all.size(), edges_, rng)) chosen.push_back(all[i]);
}

void EntityContext::choose(std::span<const Edge> all, std::uint32_t draw, std::vector<Edge>& chosen) const {
  Rng rng(draw, "context of a new entity");
  chosen.clear();
  for (const std::uint32_t i : some_of(all.size(), edges_, rng)) chosen.push_back(all[i]);
}

void EntityContext::choose(EntityId entity, std::optional<std::uint32_t> left_out, Rng& rng,
                           std::vector<Edge>& chosen) const {
  chosen.clear();
  const std::span<const Edge> all = adjacency_.edges(entity);
  if (all.empty()) return;
  if (!left_out) left_out = all[rng.below(all.size())].triple;
  // One edge, or both of a loop's. A triple that the data repeats has further edges that say the same.
  const auto asked = std::equal_range(all.begin(), all.end(), *left_out, ByTriple());
  const auto is_hidden = [&](const Edge& edge) {
    return hidden_ != EdgeRule::none && std::any_of(asked.first, asked.second, [&](const Edge& each) {
             return each.neighbour == edge.neighbour && (hidden_ == EdgeRule::pair || each.relation == edge.relation);
           });
  };
  // Draws a few more than needed, for those that are skipped.
  std::size_t drawn = edges_ + 2;
  for (;; drawn *= 2) {
    for (const std::uint32_t i : some_of(all.size(), drawn, rng)) {
      if (chosen.size() < edges_ && !is_hidden(all[i])) chosen.push_back(all[i]);
    }
    if (chosen.size() == edges_ || drawn >= all.size()) return;
    chosen.clear();
  }
}

}  // namespace hasa
