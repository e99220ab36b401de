#pragma once

#include <torch/types.h>

#include <filesystem>
#include <span>

#include "hasa/base/file.h"
#include "hasa/base/npy.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// Everything needed to compute ranks without this program: scores are dot
/// products (or, for TransE and RotatE, negative distances, see ops/score/similarity.h) of
///
///   entities.npy  [entities, dim] float32    entities.txt  the id of each row
///   queries.npy   [queries, dim] float32     queries.tsv   head, relation, tail, direction of each row
///
/// queries.tsv begins with a line of column names; ids are escaped as in a ranks file, and rows are
/// in the same order. Queries are written as they come, so
/// the whole matrix is never in memory. The folder appears atomically.
class EmbeddingsFolder {
 public:
  /// Throws config if the folder contains anything else.
  static void check_free(const std::filesystem::path& folder);

  EmbeddingsFolder(const std::filesystem::path& folder, const Graph& graph, const torch::Tensor& entities,
                   std::size_t queries);
  void add(std::span<const Triple> queries, const torch::Tensor& vectors);
  void commit();

 private:
  const Graph& graph_;
  AtomicFolder folder_;
  NpyRows vectors_;
  AtomicFile ids_;
};

}  // namespace hasa
