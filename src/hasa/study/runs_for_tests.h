#pragma once

// Made-up runs for the tests of the studies.

#include <string>
#include <vector>

#include "hasa/study/seeded_runs.h"

namespace hasa::testing {

/// Runs whose test queries, each about the tail of a triple of its own, came out at these ranks: one list per seed.
inline SeededRuns runs_with_ranks(const std::string& name, const std::vector<std::vector<double>>& seeds) {
  SeededRuns runs{name, {}, {}};
  for (const auto& ranks : seeds) {
    SeededRun run{.seed = runs.seeds.size() + 1};
    for (const double rank : ranks)
      run.ranks.push_back({"h" + std::to_string(run.ranks.size()), "r", "t", true, rank, rank, rank});
    run.test = metrics_of_rows(run.ranks);
    run.valid_mrr = run.test.mrr;
    run.epochs = 3;
    run.seconds = 1.5;
    runs.seeds.push_back(std::move(run));
  }
  return runs;
}

/// 40 queries from each of two seeds, of which `first` came out first and the others at rank 2.
inline SeededRuns runs_with_firsts(const std::string& name, std::size_t first) {
  std::vector<double> ranks(40, 2);
  std::fill_n(ranks.begin(), first, 1);
  return runs_with_ranks(name, {ranks, ranks});
}

}  // namespace hasa::testing
