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

/// `hasa train`: checks the config, reads the texts, trains, and keeps the run in `out`. With `resume` a run
/// already there is continued (its config must be this one, but for more epochs; its graph may have grown), else it is
/// an error; without anything there a new one is started either way. train.batch and train.epochs are chosen by the
/// size of the graph where they are 0. Of processes that train together rank 0 alone has a config and sees `out`. A
/// family that is fitted in one pass has one epoch to tell `on_epoch` of.
TrainedOutcome train_run(RunConfig config, const std::filesystem::path& out, bool resume,
                         const OnEpoch& on_epoch = nullptr, Comm& comm = one_process());

}  // namespace hasa
