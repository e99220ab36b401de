#include "hasa/kg/graph_proximity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr double kReturn = 0.15;

/// Calls body(first, pairs with it) for each first entity, on several threads; body may keep a scratch of its own.
template <class MakeBody>
void for_each_source(std::span<const EntityPair> pairs, const MakeBody& make_body) {
  std::vector<std::uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return pairs[a].first < pairs[b].first; });
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || pairs[order[i]].first != pairs[order[i - 1]].first) begins.push_back(i);
  }
  begins.push_back(order.size());
  parallel_for(begins.size() - 1, 16, [&](std::size_t begin, std::size_t end) {
    auto body = make_body();
    for (std::size_t s = begin; s < end; ++s) {
      const std::span<const std::uint32_t> own(order.data() + begins[s], begins[s + 1] - begins[s]);
      body(pairs[own.front()].first, own);
    }
  });
}

/// y = A x, over the entities that have anything to give.
void pass_on(const Neighbours& graph, const std::vector<double>& x, std::vector<double>& y) {
  std::ranges::fill(y, 0.0);
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const double given = x[static_cast<std::size_t>(e)];
    if (given == 0) continue;
    for (const EntityId n : graph.of(e)) y[static_cast<std::size_t>(n)] += given;
  }
}

/// Katz's sums for one first entity.
void katz_from(const Neighbours& graph, EntityId source, double decay, int steps, std::vector<double>& total,
               std::vector<double>& x, std::vector<double>& y) {
  std::ranges::fill(total, 0.0);
  std::ranges::fill(x, 0.0);
  x[static_cast<std::size_t>(source)] = 1;
  for (int step = 0; step < steps; ++step) {
    pass_on(graph, x, y);
    for (std::size_t e = 0; e < y.size(); ++e) total[e] += y[e] *= decay;
    x.swap(y);
  }
}

/// Where the walker is. One who has no neighbours goes back to the source.
void page_rank_from(const Neighbours& graph, EntityId source, int steps, std::vector<double>& total,
                    std::vector<double>& x, std::vector<double>& y) {
  std::ranges::fill(total, 0.0);
  std::ranges::fill(x, 0.0);
  x[static_cast<std::size_t>(source)] = 1;
  if (graph.degree(source) == 0) {
    total[static_cast<std::size_t>(source)] = 1;
    return;
  }
  double left = kReturn;  // the probability of a walk of so many steps since the last return
  for (int step = 0; step <= steps; ++step) {
    for (std::size_t e = 0; e < x.size(); ++e) total[e] += left * x[e];
    for (EntityId e = 0; e < graph.entities(); ++e) x[static_cast<std::size_t>(e)] /= std::max(1u, graph.degree(e));
    pass_on(graph, x, y);
    x.swap(y);
    left *= 1 - kReturn;
  }
}

std::vector<double> by_walks(const Neighbours& graph, std::span<const EntityPair> pairs, const auto& walk_from) {
  std::vector<double> values(pairs.size());
  for_each_source(pairs, [&] {
    const auto size = static_cast<std::size_t>(graph.entities());
    return [&, total = std::vector<double>(size), x = std::vector<double>(size), y = std::vector<double>(size)](
               EntityId source, std::span<const std::uint32_t> own) mutable {
      walk_from(source, total, x, y);
      for (const std::uint32_t pair : own) values[pair] = total[static_cast<std::size_t>(pairs[pair].second)];
    };
  });
  return values;
}

std::vector<double> by_common_neighbours(const Neighbours& graph, std::span<const EntityPair> pairs, bool weighted) {
  std::vector<double> values(pairs.size(), 0);
  parallel_for(pairs.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      auto [a, b] = pairs[i];
      if (graph.degree(a) > graph.degree(b)) std::swap(a, b);
      for (const EntityId c : graph.of(a)) {
        if (!graph.contains(b, c)) continue;
        // Of a pair of one and the same entity c may have no other neighbour: log 1 would be 0.
        values[i] += weighted ? 1 / std::log(std::max(2u, graph.degree(c))) : 1;
      }
    }
  });
  return values;
}

std::vector<double> by_paths(const Neighbours& graph, std::span<const EntityPair> pairs) {
  std::vector<double> values;
  for (const std::int32_t length : path_lengths(graph, pairs))
    values.push_back(length == kNoPath ? -static_cast<double>(graph.entities()) : -static_cast<double>(length));
  return values;
}

}  // namespace

const char* to_string(Proximity proximity) {
  switch (proximity) {
    case Proximity::path: return "shortest path";
    case Proximity::common_neighbours: return "common neighbours";
    case Proximity::adamic_adar: return "Adamic-Adar";
    case Proximity::katz: return "Katz";
    case Proximity::page_rank: return "personalised PageRank";
  }
  return "?";
}

double greatest_eigenvalue(const Neighbours& graph) {
  // Of A + 1, whose greatest eigenvalue is also the greatest by size, where that of A can be -A's (bipartite graphs).
  std::vector<double> x(static_cast<std::size_t>(graph.entities()), 1), y(x.size());
  double value = 0;
  for (int i = 0; i < 100 && !x.empty(); ++i) {
    pass_on(graph, x, y);
    double norm = 0, product = 0, length = 0;
    for (std::size_t e = 0; e < x.size(); ++e) {
      product += x[e] * y[e];
      length += x[e] * x[e];
      y[e] += x[e];
      norm += y[e] * y[e];
    }
    value = product / length;
    for (std::size_t e = 0; e < x.size(); ++e) x[e] = y[e] / std::sqrt(norm);
  }
  return value;
}

std::vector<double> proximities(const Neighbours& graph, std::span<const EntityPair> pairs, Proximity proximity,
                                const ProximityOptions& options) {
  switch (proximity) {
    case Proximity::path: return by_paths(graph, pairs);
    case Proximity::common_neighbours: return by_common_neighbours(graph, pairs, /*weighted=*/false);
    case Proximity::adamic_adar: return by_common_neighbours(graph, pairs, /*weighted=*/true);
    case Proximity::katz: {
      const double greatest = options.katz_decay > 0 ? 0 : greatest_eigenvalue(graph);
      const double decay = options.katz_decay > 0 ? options.katz_decay : greatest > 0 ? 0.5 / greatest : 0.5;
      return by_walks(graph, pairs, [&](EntityId source, auto& total, auto& x, auto& y) {
        katz_from(graph, source, decay, options.katz_steps, total, x, y);
      });
    }
    case Proximity::page_rank:
      return by_walks(graph, pairs, [&](EntityId source, auto& total, auto& x, auto& y) {
        page_rank_from(graph, source, options.page_rank_steps, total, x, y);
      });
  }
  return {};
}

}  // namespace hasa
