#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/kg/adjacency.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// Which of an entity's training edges its text contains.
///
/// In training it is a fresh random sample each time, which leaves out exactly the edge being
/// predicted, in either direction, and nothing else: other edges between the same two entities stay, as they
/// do when the model predicts a new triple. In evaluation an entity always has the same samples.
class EntityContext {
 public:
  /// Up to `edges` of an entity's edges. The graph's training triples alone are read, now.
  EntityContext(const Graph& graph, std::size_t edges);

  std::size_t edges() const { return edges_; }

  /// A choice of evaluation, by its number; the same at every call. Replaces what `chosen` holds.
  void choose(EntityId entity, std::uint32_t draw, std::vector<Edge>& chosen) const;
  /// Such a choice among the edges of an entity that is not the graph's.
  void choose(std::span<const Edge> all, std::uint32_t draw, std::vector<Edge>& chosen) const;
  /// A choice for training, in random order. `left_out`: the training triple being predicted; for an entity of
  /// which none is predicted a random edge is left out instead, so that no text can be told by what it lacks.
  void choose(EntityId entity, std::optional<std::uint32_t> left_out, Rng& rng, std::vector<Edge>& chosen) const;

 private:
  Adjacency adjacency_;
  std::size_t edges_;
};

}  // namespace hasa
