#include "hasa/kg/graph_proximity.h"

#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// A triangle 0 1 2 with a tail 2 - 3 - 4, and 5 by itself.
constexpr EntityId kEntities = 6;
Neighbours small_graph() {
  return Neighbours(Adjacency(std::vector<Triple>{{0, 0, 1}, {2, 0, 1}, {0, 0, 2}, {2, 0, 3}, {4, 0, 3}}, kEntities, 1));
}

Matrix adjacency_matrix(const Neighbours& graph) {
  Matrix a(kEntities, std::vector<double>(kEntities, 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (const EntityId j : graph.of(static_cast<EntityId>(i))) a[i][static_cast<std::size_t>(j)] = 1;
  }
  return a;
}

/// x with (1 - m) x = b, by Gauss and Jordan.
std::vector<double> solve(const Matrix& m, std::vector<double> b) {
  Matrix a(m.size(), std::vector<double>(m.size()));
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m.size(); ++j) a[i][j] = (i == j ? 1 : 0) - m[i][j];
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (k == i) continue;
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = 0; j < a.size(); ++j) a[k][j] -= factor * a[i][j];
      b[k] -= factor * b[i];
    }
  }
  for (std::size_t i = 0; i < a.size(); ++i) b[i] /= a[i][i];
  return b;
}

std::vector<EntityPair> from(EntityId source) {
  std::vector<EntityPair> pairs;
  for (EntityId e = 0; e < kEntities; ++e) pairs.emplace_back(source, e);
  return pairs;
}

TEST(GraphProximity, CountsCommonNeighboursAndWeighsThemByAdamicAdar) {
  const std::vector<EntityPair> pairs{{0, 1}, {0, 3}, {2, 4}, {0, 4}, {0, 5}};
  const Neighbours graph = small_graph();
  EXPECT_EQ(proximities(graph, pairs, Proximity::common_neighbours), (std::vector<double>{1, 1, 1, 0, 0}));
  const auto weighed = proximities(graph, pairs, Proximity::adamic_adar);
  EXPECT_NEAR(weighed[0], 1 / std::log(3.0), 1e-12);  // over 2, which has three neighbours
  EXPECT_NEAR(weighed[2], 1 / std::log(2.0), 1e-12);  // over 3
  EXPECT_EQ(weighed[3], 0);
}

TEST(GraphProximity, IsTheNearerTheShorterThePath) {
  EXPECT_EQ(proximities(small_graph(), from(0), Proximity::path), (std::vector<double>{0, -1, -1, -2, -3, -6}));
}

TEST(GraphProximity, KatzIsTheInverseOfOneMinusTheDecayedMatrix) {
  constexpr double kDecay = 0.1;
  const Neighbours graph = small_graph();
  Matrix decayed = adjacency_matrix(graph);
  for (auto& row : decayed) {
    for (double& value : row) value *= kDecay;
  }
  for (EntityId source = 0; source < kEntities; ++source) {
    std::vector<double> unit(kEntities, 0);
    unit[static_cast<std::size_t>(source)] = 1;
    std::vector<double> expected = solve(decayed, unit);
    expected[static_cast<std::size_t>(source)] -= 1;  // the walk of length 0
    const auto katz = proximities(graph, from(source), Proximity::katz, {.katz_decay = kDecay, .katz_steps = 60});
    for (std::size_t e = 0; e < katz.size(); ++e) EXPECT_NEAR(katz[e], expected[e], 1e-12);
  }
}

TEST(GraphProximity, PageRankSolvesItsEquation) {
  const Neighbours graph = small_graph();
  Matrix walk(kEntities, std::vector<double>(kEntities, 0));
  for (EntityId e = 0; e < kEntities; ++e) {
    for (const EntityId n : graph.of(e))
      walk[static_cast<std::size_t>(n)][static_cast<std::size_t>(e)] = 0.85 / graph.degree(e);
  }
  for (EntityId source = 0; source < kEntities - 1; ++source) {
    std::vector<double> restart(kEntities, 0);
    restart[static_cast<std::size_t>(source)] = 0.15;
    const std::vector<double> expected = solve(walk, restart);
    const auto ranks = proximities(graph, from(source), Proximity::page_rank, {.page_rank_steps = 250});
    for (std::size_t e = 0; e < ranks.size(); ++e) EXPECT_NEAR(ranks[e], expected[e], 1e-12);
  }
}

TEST(GraphProximity, KnowsTheGreatestEigenvalue) {
  // Of a star with n rays it is the root of n, and so is its opposite.
  std::vector<Triple> star;
  for (EntityId ray = 1; ray <= 9; ++ray) star.push_back({0, 0, ray});
  EXPECT_NEAR(greatest_eigenvalue(Neighbours(Adjacency(star, 10, 1))), 3, 1e-6);
}

}  // namespace
}  // namespace hasa
