#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"
#include "hasa/run/run.h"

namespace hasa {

// A run whose graph has grown since (kg/lineage.h): asked over the grown one it stays as it is, trained on it is moved
// to it.

/// Whether the graph is not the one that the run is trained on, but has grown from it. Throws data for any other.
bool has_grown(const Graph& graph, const Run& run);

/// Throws config where a run of `epochs` epochs has done them all, so that nothing would be trained on the grown graph.
void check_epochs_left(const Run& run, std::int64_t epochs);

/// Whether a part of another run is trained already, on a graph from which this one has grown: its schedule was for
/// that one, and it is for its owner to continue it. What is fitted in one pass is fitted anew.
bool stays_as_trained(const RunConfig& part, const Graph& graph, const std::filesystem::path& folder);

/// The run belongs to the grown graph from here on, and its config says where that lies. The caller holds its lock.
void move_run(Run& run, const Graph& graph, const std::string& place);

/// What the certificate says of the graphs that a run was trained on; "" where this one is all.
std::string trained_on(const Run& run, const Graph& graph);

}  // namespace hasa
