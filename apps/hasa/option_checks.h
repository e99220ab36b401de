#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "hasa/base/number_in.h"

namespace hasa {

/// CLI::NonNegativeNumber, whose message contains the largest double in full.
inline CLI::Validator not_negative() {
  const auto check = [](const std::string& text) -> std::string {
    const auto value = number_in<double>(text);
    return value && *value >= 0 ? "" : fmt::format("expected a number of at least 0, found {}", text);
  };
  return {check, "NONNEGATIVE"};
}

}  // namespace hasa
