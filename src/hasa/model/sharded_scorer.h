#pragma once

#include "hasa/dist/comm.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// A model whose entities' vectors are sharded over the processes of a job: each scores those that it has. Unlike other
/// scorers it takes all of them: they make the same calls with the same queries, from one thread. Ranking compares the
/// columns of each where they are (eval/rank_together.h); scores() and scores_of() gather them, for everything else.
class ShardedScorer : public Scorer {
 public:
  virtual Comm& comm() const = 0;
  /// The scores of this process's entities, comm().share_of(num_entities()): its columns of scores(), to the bit.
  virtual torch::Tensor own_scores(std::span<const Query> queries) const = 0;

  torch::Tensor scores(std::span<const Query> queries) const final;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const final;
};

/// candidates, global ids, as columns of a shard, and which of them are there; the others are column 0.
struct ShardColumns {
  torch::Tensor columns;  // int64
  torch::Tensor here;     // bool
};
ShardColumns columns_in(RowShare shard, const torch::Tensor& candidates);

}  // namespace hasa
