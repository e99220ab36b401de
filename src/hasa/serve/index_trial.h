#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/serve/faiss_index.h"

namespace hasa {

/// What finding the ten best of a query takes with one kind of index, on this machine.
struct IndexTrial {
  std::string name;          // "IVF, f16"
  double recall = 1;         // of the ten exactly best
  double median_ms = 0;      // of one query at a time
  double slowest_ms = 0;     // 99 of 100 are faster
  double batch_ms = 0;       // of a query, 64 of them at a time
  double build_seconds = 0;  // from vectors in memory to a file
  std::int64_t bytes = 0;    // of the file
  std::int64_t effort = 0;   // lists or candidates looked at; 0 where all entities are compared
};

struct IndexTrialOptions {
  std::int64_t queries = 256;    // of the test split, or training where that is too small
  double wanted_recall = 0.97;   // what approximate indexes are set to reach
  std::vector<VectorPrecision> precisions = {VectorPrecision::f32, VectorPrecision::f16, VectorPrecision::i8};
  bool hnsw = true;              // it takes long to build
};

/// Exact search, vectors mapped from disk in each precision, and FAISS's indexes where they are built in and know the
/// similarity, one after another. Files are laid in `folder`, which must be there, and named as the trials are.
std::vector<IndexTrial> try_indexes(const VectorScorer& scorer, const Graph& graph,
                                    const std::filesystem::path& folder, const IndexTrialOptions& options = {});

std::string to_table(std::span<const IndexTrial> trials);
std::string to_json(std::span<const IndexTrial> trials);

}  // namespace hasa
