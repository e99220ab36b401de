#include "hasa/families/graph_rerank/graph_bonus.h"

#include <algorithm>

#include "hasa/base/thread_pool.h"
#include "hasa/train/host_tensor.h"

namespace hasa {

std::vector<EntityId> within_hops(const Adjacency& adjacency, EntityId entity, std::int64_t hops) {
  std::vector<bool> seen(static_cast<std::size_t>(adjacency.entities()));
  std::vector<EntityId> found = {entity};
  seen[static_cast<std::size_t>(entity)] = true;
  std::size_t first = 0;  // of those found by the last hop
  for (std::int64_t hop = 0; hop < hops && first < found.size(); ++hop) {
    const std::size_t end = found.size();
    for (; first < end; ++first) {
      for (const Edge& edge : adjacency.edges(found[first])) {
        if (seen[static_cast<std::size_t>(edge.neighbour)]) continue;
        seen[static_cast<std::size_t>(edge.neighbour)] = true;
        found.push_back(edge.neighbour);
      }
    }
  }
  return found;
}

ScoringCost GraphBonusScorer::cost() const {
  ScoringCost cost = of_->cost();
  cost.bytes_per_query += static_cast<std::int64_t>(sizeof(float)) * num_entities();  // the bonuses, moved as one block
  return cost;
}

void GraphBonusScorer::add_bonus(torch::Tensor& scores, std::span<const Query> queries) const {
  torch::Tensor bonus = torch::zeros(scores.sizes(), torch::kFloat32);
  float* values = bonus.mutable_data_ptr<float>();
  const auto entities = static_cast<std::size_t>(num_entities());
  parallel_for(queries.size(), /*grain=*/1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const EntityId near : within_hops(adjacency_, queries[i].given, hops_))
        values[i * entities + static_cast<std::size_t>(near)] = static_cast<float>(bonus_);
    }
  });
  scores.add_(for_device(bonus, scores.device()).to(scores.device(), /*non_blocking=*/true));
}

torch::Tensor GraphBonusScorer::scores(std::span<const Query> queries) const {
  torch::Tensor scores = of_->scores(queries);
  add_bonus(scores, queries);
  return scores;
}

torch::Tensor GraphBonusScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  torch::Tensor bonus =
      torch::zeros({static_cast<std::int64_t>(queries.size()), num_entities()}, torch::TensorOptions(device()));
  add_bonus(bonus, queries);
  return of_->scores_of(queries, candidates) + bonus.gather(1, candidates);
}

}  // namespace hasa
