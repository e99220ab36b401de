#pragma once

#include <fmt/format.h>

#include <string>

#include "hasa/base/config.h"

// How options are named in messages and in their docs.

namespace hasa::detail {

/// "train.epochs"
inline std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

inline std::string describe_range(const Range& range) {
  return fmt::format("from {} to {}", print_number(range.least), print_number(range.most));
}

}  // namespace hasa::detail
