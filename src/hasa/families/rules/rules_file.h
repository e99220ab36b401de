#pragma once

#include <filesystem>
#include <vector>

#include "hasa/families/rules/rule.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// The rules as tensors, one row for each.
void save_rules(const std::filesystem::path& file, const std::vector<Rule>& rules);
/// Throws data if the file does not contain rules of this graph.
std::vector<Rule> load_rules(const std::filesystem::path& file, const Graph& graph);

/// The rules in words, best first, with confidence, support and body: all edges and paths, and the best of those with a
/// constant.
void write_rules_in_words(const std::filesystem::path& file, const std::vector<Rule>& rules, const Graph& graph);

}  // namespace hasa
