#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "hasa/base/config.h"

// Code shared by the two readers of YAML, config.cpp and search_space.cpp.

namespace hasa::detail {

/// The single document of `yaml`, null if it is empty. Throws config, naming `source` and the line, for
/// invalid YAML, a second document or a duplicate name in a section, which would otherwise be ignored silently.
YAML::Node load_yaml(const std::string& yaml, const std::string& source);

/// Sets options from load_yaml's result.
void apply_document(const Fields& fields, const YAML::Node& root, const std::string& source, UnknownOptions unknown);

/// "config.yaml:14"
std::string line_of(const YAML::Node& node, const std::string& source);

/// Whether a value is {range: [a, b]}, {log_range: [a, b]} or {choices: [a, b, c]}: a mark for `hasa search`.
bool is_search_mark(const YAML::Node& value);
/// "; did you mean choices?" for {chioces: [a, b]}, otherwise "".
std::string search_mark_meant(const YAML::Node& value);

}  // namespace hasa::detail
