#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "hasa/base/config.h"

// What the two readers of YAML share, config.cpp and search_space.cpp.

namespace hasa::detail {

/// The one document of `yaml`, null where it is empty. Throws config, naming `source` and the line, for what is no
/// YAML, for a second document and for a name that stands twice in one section: either would be passed over silently.
YAML::Node load_yaml(const std::string& yaml, const std::string& source);

/// Sets options from what load_yaml gave.
void apply_document(const Fields& fields, const YAML::Node& root, const std::string& source, UnknownOptions unknown);

/// "config.yaml:14"
std::string line_of(const YAML::Node& node, const std::string& source);

/// Whether a value is {range: [a, b]}, {log_range: [a, b]} or {choices: [a, b, c]}: a mark for `hasa search`.
bool is_search_mark(const YAML::Node& value);

}  // namespace hasa::detail
