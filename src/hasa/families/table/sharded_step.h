#pragma once

#include <torch/types.h>

#include "hasa/dist/row_exchange.h"
#include "hasa/ops/table/row_loss_kind.h"
#include "hasa/ops/table/row_update.h"

namespace hasa {

/// A step over entities that are sharded, each process having its share of the rows, and working on its share of the
/// batch's triples. The vectors of the triples' ends travel to the process that needs them, and their gradients back.
/// The candidates' do not: they are a hundred times as many. Instead every process gets all queries, scores those
/// candidates that it has, and sends the scores, a number for each; it gets their slopes, and so has what changes its
/// own rows. What it has of the queries' gradients it sends to where the queries are. Gradients of a row are added in
/// the order in which one process would add them. Every process makes the same calls.
class ShardedStep {
 public:
  /// table: this process's rows of `entities`; ends [batch, 1 or 2] ids, the same on every process: heads, and tails
  /// where they are needed.
  ShardedStep(const torch::Tensor& table, std::int64_t entities, const torch::Tensor& ends, Comm& comm);

  /// [share, 1 or 2, d] float32: the vectors of the ends of this process's triples.
  torch::Tensor end_vectors() const;
  /// Gradients of those -> of the rows here.
  DirectRows end_gradients(const torch::Tensor& of_share) const;

  /// What the losses of this process's queries come to.
  struct Loss {
    torch::Tensor loss;        // [] weighted sum over its queries
    torch::Tensor query_grad;  // [share, d]
    SampledRows rows_here;     // gradients of the rows here, from the queries of all processes
  };
  /// queries [share, d] float32 and weights [share]; candidates [batch, 1 + n] int32, the answer first, the same on
  /// every process.
  Loss sampled_loss(const torch::Tensor& queries, const torch::Tensor& candidates, Similarity similarity,
                    const RowLoss& loss, const torch::Tensor& weights) const;

 private:
  torch::Tensor table_;
  std::int64_t entities_;
  Comm& comm_;
  RowExchange ends_;
};

}  // namespace hasa
