#pragma once

#include <filesystem>
#include <vector>

#include "hasa/families/rules/rule.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// The rules of a graph of so many relations as tensors, one row for each.
void save_rules(const std::filesystem::path& file, const std::vector<Rule>& rules, RelationId relations);
/// The rules by the numbers of this graph, which may have more relations than the one they were mined in; `mined_in` is
/// how many that had, for files that do not say. Throws data if the file does not contain rules of such a graph.
std::vector<Rule> load_rules(const std::filesystem::path& file, const Graph& graph, RelationId mined_in);

/// The rules in words, best first, with confidence, support and body: all edges and paths, and the best of those with a
/// constant.
void write_rules_in_words(const std::filesystem::path& file, const std::vector<Rule>& rules, const Graph& graph);

}  // namespace hasa
