#pragma once

#include <filesystem>
#include <string>

#include "hasa/job/run_config.h"
#include "hasa/train/trainer.h"

namespace hasa {

struct TrainedOutcome {
  TrainEnd end;
  TrainState state;
};

/// Why `config` cannot resume the run, such as "dim: 32" there, "dim: 16" now; "" if it can.
/// The locations of the graph and the language model and the device may differ, and epochs may be added.
std::string training_difference(const Run& run, const RunConfig& config);

/// `hasa train`: checks the config, encodes the texts, trains, and writes the run to `out`. With `resume` an
/// existing run is resumed (its config must be this one, except for more epochs), otherwise it is an
/// error; if there is none a new one is started either way. train.batch and train.epochs are chosen by
/// the size of the graph if they are 0. A family fitted in one pass reports one epoch to `on_epoch`.
TrainedOutcome train_run(RunConfig config, const std::filesystem::path& out, bool resume,
                         const OnEpoch& on_epoch = nullptr);

}  // namespace hasa
