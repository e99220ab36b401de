#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hasa/base/search_space.h"
#include "hasa/job/run_config.h"

namespace hasa {

struct SearchOptions {
  std::int64_t trials = 20;
  /// 0: every trial is trained for all epochs. Otherwise successive halving: all trials are trained for part of
  /// the epochs, the best one in `halving` again for `halving` times as long, and so on up to
  /// all epochs. Runs of different lengths are separate runs, because the learning rate decays over a whole run.
  std::int64_t halving = 0;
  std::int64_t least_epochs = 1;  // epochs of the shortest runs: too short ones do not predict longer ones
  std::uint64_t seed = 1;
};

/// A run with some of the marked options' values.
struct Trial {
  std::int64_t number = 0;
  std::int64_t epochs = 0;  // 0: by its assignments, or by the size of the graph
  std::vector<std::string> assignments;
  std::optional<double> mrr;  // best on the validation split; none if training failed
  std::string error;          // why it failed

  std::string name() const;  // "trial-007-e40", or "trial-007" where epochs is 0
};

/// Epochs of each rung, the shortest first; without halving only all of them.
std::vector<std::int64_t> rungs(std::int64_t epochs, const SearchOptions& options);

/// Trains trials of `config` with random values of the marked options, no two the same:
/// a run folder for each in `out`, and a line in out/search.jsonl when it ends.
/// Finished trials are not repeated, and an interrupted run is resumed, so that the same
/// call resumes a search. Returns the trials of the longest rung, best first and failed
/// ones last; fewer if interrupted by a signal (`stopped`). Throws the first trial's error if all of them fail.
struct SearchOutcome {
  std::vector<Trial> trials;
  bool stopped = false;
};
SearchOutcome search(const RunConfig& config, const SearchSpace& space, const SearchOptions& options,
                     const std::filesystem::path& out);

/// A line per trial, with the values of the marked options in columns; below, the errors of failed trials.
std::string to_table(const std::vector<Trial>& trials);

}  // namespace hasa
