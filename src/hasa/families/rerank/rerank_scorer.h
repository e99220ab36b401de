#pragma once

#include <memory>

#include "hasa/model/scorer.h"

namespace hasa {

/// Re-ranks one scorer's shortlist by another. A query's shortlist is the first's
/// `top` entities, with ties broken by entity number; it includes known answers.
///
///   in the shortlist   first's best score + 1 + (second's score - second's lowest in the shortlist)
///   elsewhere          first's score
///
/// so the second orders the shortlist, which ranks before all others, and those keep the first's order.
class RerankScorer : public Scorer {
 public:
  /// Both of one graph, on one device.
  RerankScorer(std::unique_ptr<Scorer> first, std::unique_ptr<Scorer> second, std::int64_t top);

  std::int64_t num_entities() const override { return first_->num_entities(); }
  torch::Device device() const override { return first_->device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  std::unique_ptr<Scorer> first_, second_;
  std::int64_t top_;
};

}  // namespace hasa
