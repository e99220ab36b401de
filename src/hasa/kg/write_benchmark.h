#pragma once

#include <filesystem>

#include "hasa/kg/graph.h"

namespace hasa {

/// Writes the graph in the layout that read_benchmark reads; the folder appears whole or not at all. Tabs
/// and line breaks inside a text become spaces. Throws data when an id holds one, since it could not be
/// read back.
void write_benchmark(const Graph& graph, const std::filesystem::path& folder);

}  // namespace hasa
