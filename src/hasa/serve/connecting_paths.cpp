#include "hasa/serve/connecting_paths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace hasa {
namespace {

constexpr std::size_t kFirstLinks = 300;  // followed from either end
constexpr std::size_t kNextLinks = 100;   // followed from each entity after that

/// Up to two links out of an end, walked away from it.
struct Branch {
  std::array<WalkedEdge, 2> edges;
  std::size_t length = 0;
  double weight = 1;  // of the entities passed, the last one not among them

  EntityId end(EntityId start) const { return length == 0 ? start : edges[length - 1].to; }
};
using Branches = std::vector<Branch>;

double passing(const LiveState& state, EntityId entity) {
  return 1 / (1 + std::log(static_cast<double>(std::max<std::size_t>(1, state.degree(entity)))));
}

WalkedEdge turned(const WalkedEdge& edge, RelationId relations) {
  return {edge.to, inverse(edge.relation, relations), edge.from};
}

/// Looks for ways between the two ends of a question.
class PathSearch {
 public:
  PathSearch(const LiveState& state, const WalkedEdge& asked)
      : state_(state), asked_(asked), turned_(turned(asked, state.graph().relations())) {}

  std::vector<PathReason> search(std::size_t count) const {
    const Branches from = {{}}, to = {{}};
    const Branches one_from = grown(from, asked_.from, kFirstLinks), one_to = grown(to, asked_.to, kFirstLinks);
    std::vector<PathReason> found;
    join(one_from, to, found);
    if (found.size() < count) join(one_from, one_to, found);
    if (found.size() < count) {
      const Branches two_from = grown(one_from, asked_.from, kNextLinks);
      join(two_from, one_to, found);
      if (found.size() < count) join(two_from, grown(one_to, asked_.to, kNextLinks), found);
    }
    std::stable_sort(found.begin(), found.end(), [](const PathReason& a, const PathReason& b) {
      return a.edges.size() != b.edges.size() ? a.edges.size() < b.edges.size() : a.weight > b.weight;
    });
    found.resize(std::min(found.size(), count));
    return found;
  }

 private:
  /// Each branch with every link that goes on from it.
  Branches grown(const Branches& branches, EntityId start, std::size_t links) const {
    Branches longer;
    for (const Branch& branch : branches) {
      const EntityId end = branch.end(start);
      for (const EntityLink& link : state_.links(end, links)) {
        if (link.known == Known::valid || link.known == Known::test) continue;  // kept from the model, and so from here
        const WalkedEdge edge{end, link.relation, link.neighbour};
        if (edge == asked_ || edge == turned_ || link.neighbour == start || link.neighbour == end) continue;
        longer.push_back(branch);
        longer.back().edges[longer.back().length++] = edge;
        if (branch.length > 0) longer.back().weight *= passing(state_, end);
      }
    }
    return longer;
  }

  /// All ways of a branch from the start and one from the answer that meet.
  void join(const Branches& from, const Branches& to, std::vector<PathReason>& found) const {
    std::unordered_multimap<EntityId, const Branch*> ends;
    for (const Branch& branch : to) ends.emplace(branch.end(asked_.to), &branch);
    for (const Branch& branch : from) {
      const auto [first, last] = ends.equal_range(branch.end(asked_.from));
      for (auto it = first; it != last; ++it) {
        PathReason path = joined(branch, *it->second);
        if (is_simple(path)) found.push_back(std::move(path));
      }
    }
  }

  PathReason joined(const Branch& from, const Branch& to) const {
    PathReason path{{from.edges.begin(), from.edges.begin() + from.length}, from.weight * to.weight};
    for (std::size_t i = to.length; i-- > 0;) path.edges.push_back(turned(to.edges[i], state_.graph().relations()));
    if (from.length > 0 && to.length > 0) path.weight *= passing(state_, from.edges[from.length - 1].to);
    path.weight *= std::pow(0.5, static_cast<double>(path.edges.size()) - 1);
    return path;
  }

  static bool is_simple(const PathReason& path) {
    for (std::size_t i = 0; i < path.edges.size(); ++i) {
      for (std::size_t j = i; j < path.edges.size(); ++j) {
        if (path.edges[j].to == path.edges[i].from) return false;
      }
    }
    return true;
  }

  const LiveState& state_;
  WalkedEdge asked_, turned_;
};

}  // namespace

std::vector<PathReason> connecting_paths(const LiveState& state, const WalkedEdge& asked, std::size_t count) {
  return PathSearch(state, asked).search(count);
}

}  // namespace hasa
