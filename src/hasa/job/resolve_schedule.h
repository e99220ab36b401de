#pragma once

#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// Chooses train.batch and train.epochs if they are 0, by the size of the graph and
/// the family. Values that are set are kept; families fitted in one pass are unchanged.
void resolve_schedule(RunConfig& config, const Graph& graph);

/// Warns if a run is too short to learn from. `config` is resolved.
void warn_of_short_run(const RunConfig& config, const Graph& graph);

}  // namespace hasa
