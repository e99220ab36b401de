#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "hasa/job/run_config.h"

namespace hasa {

/// --config, --set and --memory-limit of the commands that train.
struct TrainOptions {
  std::string config;
  std::vector<std::string> assignments;
  std::string memory_limit;

  /// Without `needs_config`, --config is optional and the defaults apply.
  void add_to(CLI::App& command, bool needs_config = true);
  /// `otherwise`: the file to read without --config; "" for the defaults.
  RunConfig read(const std::string& otherwise = "") const;
};

}  // namespace hasa
