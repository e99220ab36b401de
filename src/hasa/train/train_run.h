#pragma once

#include <filesystem>
#include <string>

#include "hasa/train/train_config.h"
#include "hasa/train/trainer.h"

namespace hasa {

struct TrainedOutcome {
  TrainEnd end;
  TrainState state;
};

/// What keeps `config` from continuing the run, such as "epochs: 10" there, "epochs: 20" now; "" when nothing
/// does. Where the graph and the language model lie and which device is used makes no difference.
std::string training_difference(const Run& run, const TrainConfig& config);

/// `hasa train`: checks the config, reads the texts, trains, and keeps the run in `out`. With `resume` a run
/// already there is continued (its config must be this one), else it is an error; without anything there a
/// new one is started either way.
TrainedOutcome train_run(TrainConfig config, const std::filesystem::path& out, bool resume);

}  // namespace hasa
