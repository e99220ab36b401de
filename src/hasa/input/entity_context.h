#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/input/edge_rule.h"
#include "hasa/kg/adjacency.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// Which of an entity's training edges its text contains.
///
/// In training it is a fresh random sample each time. By the rule `exact` it leaves out the edge being predicted, in
/// either direction, and nothing else: other edges between the same two entities stay, as they do when the model
/// predicts a new triple. In evaluation an entity always has the same samples.
class EntityContext {
 public:
  /// Up to `edges` of an entity's edges. Reads only the graph's training triples, in the constructor.
  EntityContext(const Graph& graph, std::size_t edges, EdgeRule hidden = EdgeRule::exact);

  std::size_t edges() const { return edges_; }

  /// An evaluation sample, by its number; the same at every call. Replaces the contents of `chosen`.
  void choose(EntityId entity, std::uint32_t draw, std::vector<Edge>& chosen) const;
  /// The same among the edges of an entity that is not in the graph.
  void choose(std::span<const Edge> all, std::uint32_t draw, std::vector<Edge>& chosen) const;
  /// A training sample, in random order. `left_out`: the training triple being predicted; for an entity without one,
  /// the rule is applied to a random edge instead, so that no text stands out by what it lacks.
  void choose(EntityId entity, std::optional<std::uint32_t> left_out, Rng& rng, std::vector<Edge>& chosen) const;

 private:
  Adjacency adjacency_;
  std::size_t edges_;
  EdgeRule hidden_;
};

}  // namespace hasa
