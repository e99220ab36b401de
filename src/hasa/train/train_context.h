#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "hasa/dist/comm.h"
#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/run/run.h"

namespace hasa {

/// Opens another run as a scorer, for families made of runs.
using RunOpener = std::function<std::unique_ptr<Scorer>(const std::filesystem::path& run)>;
/// Trains a config file into a folder, or resumes the run there; false: interrupted by a signal.
using RunTrainer = std::function<bool(const std::filesystem::path& config, const std::filesystem::path& out)>;

/// What a family trains on. The graph must outlive everything made from it.
struct TrainContext {
  const Graph& graph;
  std::filesystem::path graph_folder;  // where tokens and embeddings of its texts are cached
  torch::Device device = torch::kCPU;
  std::uint64_t seed = 1;
  const Run* run = nullptr;    // the one that is resumed; null too on all ranks but 0, which see no run folder
  Comm& comm = one_process();  // the processes that train together
  // For families that are made of runs. Given by the job.
  RunOpener open_run = nullptr;
  RunTrainer train_run = nullptr;
};

}  // namespace hasa
