#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/model/text_reader.h"
#include "hasa/run/run.h"

namespace hasa {

/// The options a run was trained with.
RunConfig config_of(const Run& run);

/// An opened run: its graph and its best model.
struct TrainedRun {
  std::unique_ptr<Graph> graph;  // the scorer refers to it
  std::unique_ptr<Scorer> scorer;
};

/// `graph_folder` stands in for the one in the run's config where it has been moved or a grown one is meant
/// (kg/lineage.h): then texts that are new or have changed are read anew, and vectors of new entities and relations are
/// those that training would begin with. `device` likewise. Where the
/// language model was trained every entity is read anew, with a progress bar; of several processes each reads its
/// share.
TrainedRun open_trained(const Run& run, const std::string& graph_folder = "", const std::string& device = "",
                        Comm& comm = one_process());

/// The same over a graph that is open already, which must outlive the scorer.
std::unique_ptr<Scorer> open_scorer_of(const Run& run, const Graph& graph, const std::filesystem::path& graph_folder,
                                       const torch::Device& device, Comm& comm = one_process());

/// parse_device for one of several processes: "cuda" is the GPU of its place on its machine.
torch::Device device_for(const std::string& name, const Comm& comm);

/// The text reader of such a scorer, which must outlive it; null if the family reads no texts.
std::unique_ptr<TextReader> open_text_reader_of(const Run& run, const Graph& graph,
                                                const std::filesystem::path& graph_folder, const Scorer& scorer);

/// Memory for opening the run on a CPU, besides the program.
std::int64_t opening_bytes(const Run& run, const RunConfig& config, const Graph& graph);

}  // namespace hasa
