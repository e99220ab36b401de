#pragma once

#include <torch/types.h>

#include "hasa/ops/graph/path_batch.h"

namespace hasa {

enum class Aggregation { sum, pna };

/// The aggregated messages of the entities of a batch's queries in one layer of a path model. For the pair of
/// entity v and query q, with x the states before the layer and w the relations as this query sees them, the messages
/// are
///
///   m_k = x[u, q] * w[q, r]  for each visible edge k = (u -r-> v),  and  m_start = start[q] at the query's head, else
///   0
///
/// (elementwise), n = 1 + the visible edges of v, and a row of the result is, dim values each,
///
///   sum   x[v, q] | sum of all messages
///   pna   x[v, q] | mean | greatest | least | sqrt(max(1e-6, mean of squares - mean^2))
///
/// An entity that is not reached yet has x = 0 and sends zeros. states [rows[layer - 1], dim] -> [rows[layer], 2 or 5
/// dim], rows as in PathBatch; relations [queries, 2R, dim]; start [queries, dim]. All of one dtype: float32, or on a
/// GPU also bfloat16, sums in float32. dim is 8, 16, 32, 64 or 128.
///
/// Differentiable in states, relations and start; the gradient of a greatest or least goes to the first message that
/// has it: start, then the zeros of entities not reached, then edges in their order. No atomics: results and gradients
/// are the same for any number of threads, and from run to run on a GPU.
///
/// What it costs on a GPU, of bytes read from L2 for each edge, query and dimension: forward 2 in bfloat16 (the
/// source's state); backward 12 (four gradients and two places of the extremes at the edge's end), or 16 where a row
/// has 65,534 edges or more. Relation vectors stay in shared memory, or in L2 where they are more than 800 or so. The
/// gradient of the relations adds a write and a read of 2 for each distinct (entity, relation). At 5.5 TB/s, FB15k-237
/// (544,230 edges, 32 dimensions, 6 layers, 149,689 queries) comes to 6 s an epoch forward and 34 s backward.
/// The entities are visited for one tile of 128 columns (4 queries of 32) after the other, so that what is gathered
/// from (entities x 256 bytes) stays in L2.
torch::Tensor path_messages(const torch::Tensor& states, const torch::Tensor& relations, const torch::Tensor& start,
                            const PathBatchPtr& batch, std::int64_t layer, Aggregation aggregation);

/// The same, message by message in double on the CPU; differentiable by autograd: the reference for tests.
torch::Tensor path_messages_reference(const torch::Tensor& states, const torch::Tensor& relations,
                                      const torch::Tensor& start, const PathBatchPtr& batch, std::int64_t layer,
                                      Aggregation aggregation);

}  // namespace hasa
