#pragma once

#include <memory>
#include <optional>

#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/run/run.h"
#include "hasa/serve/faiss_index.h"

namespace hasa {

/// An index that a run's folder has, with what was measured when it was made.
struct RunIndex {
  std::shared_ptr<const EntityIndex> index;
  double recall = 0;        // of the ten best, on a sample of questions
  std::int64_t effort = 0;  // lists or candidates that are looked at
};

struct RunIndexOptions {
  FaissOptions faiss;
  double wanted_recall = 0.97;
  std::int64_t queries = 256;  // of the sample
};

/// Of a run's folder: index.faiss, and index.json with the model it is of.
inline constexpr const char* kIndexFolder = "index";

/// Builds an index, raises its effort until it finds what is wanted, and keeps it in the run's folder. From then on
/// questions about its entities are answered by it. Throws config for a similarity that FAISS does not know.
RunIndex make_run_index(const Run& run, const Graph& graph, const VectorScorer& scorer, const RunIndexOptions& options);

/// Nothing where the run has none, and with a warning where it is of another model, damaged, or FAISS is not built in.
std::optional<RunIndex> open_run_index(const Run& run, const Graph& graph);

}  // namespace hasa
