#pragma once

#include <filesystem>
#include <memory>

#include "hasa/kg/graph.h"

namespace hasa::python {

/// A graph as Python holds it: arrays and runs that view it keep it alive.
struct OpenGraph {
  std::shared_ptr<const Graph> graph;
  std::filesystem::path folder;
};

}  // namespace hasa::python
