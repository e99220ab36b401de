#include "hasa/model/sharded_scorer.h"

#include "hasa/base/error.h"

namespace hasa {

ShardColumns columns_in(RowShare shard, const torch::Tensor& candidates) {
  const torch::Tensor here = candidates.ge(shard.first).logical_and_(candidates.lt(shard.first + shard.count));
  return {torch::where(here, candidates - shard.first, torch::zeros_like(candidates)), here};
}

torch::Tensor ShardedScorer::scores(std::span<const Query> queries) const {
  return comm().gather_shares(own_scores(queries).t(), num_entities()).t().contiguous();
}

torch::Tensor ShardedScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  const torch::NoGradGuard no_grad;
  const ShardColumns in = columns_in(comm().share_of(num_entities()), candidates);
  const torch::Tensor own = own_scores(queries);
  torch::Tensor chosen = own.new_zeros(candidates.sizes());
  if (own.size(1) > 0) chosen = torch::where(in.here, own.gather(1, in.columns), chosen);
  comm().all_reduce(chosen);
  return chosen;
}

}  // namespace hasa
