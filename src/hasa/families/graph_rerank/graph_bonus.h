#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hasa/kg/adjacency.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// The entities within `hops` training edges of an entity,
/// in either direction: itself first, then by ascending distance.
std::vector<EntityId> within_hops(const Adjacency& adjacency, EntityId entity, std::int64_t hops);

/// Another scorer's scores, plus a bonus for every entity within some training edges of the given one.
class GraphBonusScorer : public Scorer {
 public:
  GraphBonusScorer(std::unique_ptr<Scorer> of, const Graph& graph, std::int64_t hops, double bonus)
      : of_(std::move(of)), adjacency_(graph), hops_(hops), bonus_(bonus) {}

  std::int64_t num_entities() const override { return of_->num_entities(); }
  torch::Device device() const override { return of_->device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  /// Adds the bonus in place, [queries, entities].
  void add_bonus(torch::Tensor& scores, std::span<const Query> queries) const;

  std::unique_ptr<Scorer> of_;
  Adjacency adjacency_;
  std::int64_t hops_;
  double bonus_;
};

}  // namespace hasa
