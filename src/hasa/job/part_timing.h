#pragma once

#include <string>
#include <vector>

#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A part of training or evaluation other than its steps.
struct PartTiming {
  std::string name;
  std::string what;         // what was measured, with its sizes
  double milliseconds = 0;  // best of several runs
  std::string rate;         // "812 TFLOP/s"
};

/// Opening the config's graph, tokenising its texts, encoding all entities as the config's model does (text models),
/// mining for a batch of 256, and ranking the test split, the last two with random vectors of dimension 500.
std::vector<PartTiming> time_parts(const RunConfig& config, const Graph& graph);

std::string to_table(const std::vector<PartTiming>& parts);

}  // namespace hasa
