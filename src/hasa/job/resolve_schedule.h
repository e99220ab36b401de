#pragma once

#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// Fills in train.batch and train.epochs where they are 0, by the size of the graph and what is trained. What was set
/// stays as it is, and so does a family that is fitted in one pass.
void resolve_schedule(RunConfig& config, const Graph& graph);

/// Says so when a run is too short to learn from. `config` is resolved.
void warn_of_short_run(const RunConfig& config, const Graph& graph);

}  // namespace hasa
