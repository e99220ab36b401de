#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/interval.h"
#include "hasa/eval/ranked_query.h"

namespace hasa {

struct BootstrapOptions {
  std::int64_t resamples = 1000;
  double level = 0.95;
  std::uint64_t seed = 1;
};

struct MetricIntervals {
  Interval mrr, hits_at_1, hits_at_3, hits_at_10;
};

/// Percentile bootstrap of the metrics of realistic, filtered ranks. Triples are resampled, not queries: the two
/// directions of a triple are not independent observations and stay together, which widens the interval if they agree.
/// The same seed gives the same intervals, for any number of threads.
MetricIntervals bootstrap(std::span<const RankedQuery> ranked, RelationId relations,
                          const BootstrapOptions& options = {});

/// The mean of each column over resampled rows: the core of the bootstrap and of the paired test. A
/// row has a triple's sum of each column; its weight is its number of queries. One interval per column.
/// columns: [columns][rows], all of one length.
std::vector<Interval> bootstrap_means(std::span<const std::vector<double>> columns, std::span<const double> weights,
                                      const BootstrapOptions& options);

/// Numbers the facts behind queries: equal for both directions of a triple, 0 .. count - 1 in order of first
/// occurrence.
struct Facts {
  std::vector<std::uint32_t> of_query;
  std::size_t count = 0;
};
Facts facts_of(std::span<const RankedQuery> ranked, RelationId relations);

}  // namespace hasa
