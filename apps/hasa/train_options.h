#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "hasa/train/train_config.h"

namespace hasa {

/// --config, --set and --memory-limit of the commands that train.
struct TrainOptions {
  std::string config;
  std::vector<std::string> assignments;
  std::string memory_limit;

  void add_to(CLI::App& command);
  TrainConfig read() const;
};

}  // namespace hasa
