#include "hasa/eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

struct TripleHash {
  std::size_t operator()(const Triple& triple) const { return hash_bytes(&triple, sizeof(triple)); }
};

/// An interpolated quantile of the sorted values.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Below this much work, threads cost more than they save.
constexpr std::size_t kWorthThreads = 1 << 18;

}  // namespace

std::vector<Interval> bootstrap_means(std::span<const std::vector<double>> columns, std::span<const double> weights,
                                      const BootstrapOptions& options) {
  const std::size_t width = columns.size() + 1, rows = weights.size();
  const auto resamples = static_cast<std::size_t>(options.resamples);
  HASA_CHECK(resamples > 0 && options.level > 0 && options.level < 1, config,
             "a bootstrap of {} resamples and level {}", options.resamples, options.level);
  std::vector<Interval> intervals(columns.size());
  if (rows == 0) return intervals;
  // A row's values are contiguous: resampling reads one place in memory.
  std::vector<double> table(rows * width);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) table[r * width + c] = columns[c][r];
    table[r * width + width - 1] = weights[r];
  }
  std::vector<std::vector<double>> means(columns.size(), std::vector<double>(resamples));
  const std::size_t grain = rows * resamples < kWorthThreads ? resamples : 16;
  parallel_for(resamples, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> sums(width);
    for (std::size_t b = begin; b < end; ++b) {
      Rng rng(options.seed, "bootstrap", b);
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t draw = 0; draw < rows; ++draw) {
        const double* row = table.data() + rng.below(rows) * width;
        for (std::size_t c = 0; c < width; ++c) sums[c] += row[c];
      }
      for (std::size_t c = 0; c < columns.size(); ++c) means[c][b] = sums[c] / sums[width - 1];
    }
  });
  const double outside = (1 - options.level) / 2;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::sort(means[c].begin(), means[c].end());
    intervals[c] = {quantile(means[c], outside), quantile(means[c], 1 - outside)};
  }
  return intervals;
}

Facts facts_of(std::span<const RankedQuery> ranked, RelationId relations) {
  Facts facts;
  std::unordered_map<Triple, std::uint32_t, TripleHash> numbers;
  for (const RankedQuery& query : ranked) {
    const Triple fact = query.triple.relation < relations ? query.triple : inverse(query.triple, relations);
    facts.of_query.push_back(numbers.emplace(fact, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  facts.count = numbers.size();
  return facts;
}

MetricIntervals bootstrap(std::span<const RankedQuery> ranked, RelationId relations, const BootstrapOptions& options) {
  const Facts facts = facts_of(ranked, relations);
  std::vector<std::vector<double>> columns(4, std::vector<double>(facts.count, 0.0));
  std::vector<double> weights(facts.count, 0.0);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const double rank = ranked[i].realistic();
    const std::uint32_t fact = facts.of_query[i];
    columns[0][fact] += 1 / rank;
    columns[1][fact] += rank <= 1 ? 1 : 0;
    columns[2][fact] += rank <= 3 ? 1 : 0;
    columns[3][fact] += rank <= 10 ? 1 : 0;
    weights[fact] += 1;
  }
  const std::vector<Interval> intervals = bootstrap_means(columns, weights, options);
  return {intervals[0], intervals[1], intervals[2], intervals[3]};
}

}  // namespace hasa
