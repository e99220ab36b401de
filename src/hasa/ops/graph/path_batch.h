#pragma once

#include <ATen/core/ivalue.h>
#include <torch/types.h>

#include <vector>

#include "hasa/ops/graph/path_graph.h"

namespace hasa {

/// Queries that messages are passed for together: from which entity each starts, and which entities it has reached
/// after each layer. Only pairs (entity, query) that are reached have a state, all others are zero. Pairs are ordered
/// by their distance, so the states after layer l are the first rows[l] rows, and a pair keeps its row.
struct PathBatch : public torch::CustomClassHolder {
  PathGraph graph;
  VisibleEdges visible;
  torch::Tensor heads;             // [queries] int64
  torch::Tensor position;          // [entities, queries] int32: the row of a pair; 2^31 - 1 where it is never reached
  torch::Tensor pairs;             // [rows] int32: entity * queries + query
  std::vector<std::int64_t> rows;  // [layers + 1]: pairs within so many steps; rows[0] is the heads
  torch::Tensor scale;             // [entities] float32: log(1 + degree) over its mean, what PNA scales by

  std::int64_t queries() const { return heads.size(0); }
  std::int64_t layers() const { return static_cast<std::int64_t>(rows.size()) - 1; }
};
using PathBatchPtr = c10::intrusive_ptr<PathBatch>;

/// heads: [queries] int64 on the graph's device. hidden: triples that no query of the batch may use. On a GPU the host
/// waits once, for how many pairs there are. Rows come by distance, then entity, then query, on every device.
PathBatchPtr make_path_batch(const PathGraph& graph, const torch::Tensor& heads, const torch::Tensor& hidden,
                             std::int64_t layers);

/// The distance of every entity from each head, -1 where there is no path: [entities, queries] int64, by a queue:
/// the reference for tests.
torch::Tensor path_distances_reference(const PathGraph& graph, const torch::Tensor& heads);

}  // namespace hasa
