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
  /// 0: every trial is trained for all epochs. Else successive halving: all trials are trained for a part of the
  /// epochs, the best of every `halving` of them anew for `halving` times as long, and so on up to all epochs.
  /// Trainings of different length are trainings of their own, since rates fall over the whole of one.
  std::int64_t halving = 0;
  std::int64_t least_epochs = 1;  // of the shortest trainings: too short ones tell nothing of longer ones
  std::uint64_t seed = 1;
};

/// A run with some of the marked options' values.
struct Trial {
  std::int64_t number = 0;
  std::int64_t epochs = 0;  // 0: what its assignments say, or what suits the graph
  std::vector<std::string> assignments;
  std::optional<double> mrr;  // best on the validation split; none where training failed
  std::string error;          // why it failed

  std::string name() const;  // "trial-007-e40", or "trial-007" where epochs is 0
};

/// Epochs of each rung, the shortest first: all of them alone without halving.
std::vector<std::int64_t> rungs(std::int64_t epochs, const SearchOptions& options);

/// Trains trials of `config` with the marked options drawn, no two with the same values: a run folder for each in
/// `out`, and a line in out/search.jsonl as it ends. What is there already is not done again, and an interrupted run is
/// resumed, so that the same call continues a search. Returns the trials of the longest training, best first and those
/// that failed last; fewer than all, when a signal asked to stop (`stopped`). Throws what the first trial failed with
/// when all of them fail.
struct SearchOutcome {
  std::vector<Trial> trials;
  bool stopped = false;
};
SearchOutcome search(const RunConfig& config, const SearchSpace& space, const SearchOptions& options,
                     const std::filesystem::path& out);

/// A line for each trial, with the values of the marked options in columns; below, why those failed that did.
std::string to_table(const std::vector<Trial>& trials);

}  // namespace hasa
