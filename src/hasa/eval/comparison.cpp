#include "hasa/eval/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

auto fact_of(const RankRow& row) { return std::tie(row.head, row.relation, row.tail); }
auto key_of(const RankRow& row) { return std::tie(row.head, row.relation, row.tail, row.asks_tail); }
bool by_key(const RankRow& a, const RankRow& b) { return key_of(a) < key_of(b); }

std::string words(const RankRow& row) {
  return fmt::format("({}, {}, {}) predicting its {}", escaped(row.head), escaped(row.relation), escaped(row.tail),
                     row.asks_tail ? "tail" : "head");
}

void check_same_queries(std::span<const RankRow> a, std::span<const RankRow> b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(),
                                          [](const RankRow& x, const RankRow& y) { return key_of(x) == key_of(y); });
  if (in_a == a.end() && in_b == b.end()) return;
  const bool missing_in_b = in_b == b.end() || (in_a != a.end() && by_key(*in_a, *in_b));
  fail(ErrorKind::data,
       "the two do not have the same queries: {} is only in the {} ({} and {} queries)\nonly runs on the same split of "
       "the same graph can be compared",
       words(missing_in_b ? *in_a : *in_b), missing_in_b ? "first" : "second", a.size(), b.size());
}

/// Sums over the queries of each triple.
struct Paired {
  std::vector<double> a, b, difference, queries;

  void add(double value_a, double value_b) {
    a.back() += value_a;
    b.back() += value_b;
    difference.back() += value_b - value_a;
    queries.back() += 1;
  }
  void next_triple() {
    for (auto* column : {&a, &b, &difference, &queries}) column->push_back(0);
  }
};

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

Difference difference_of(const Paired& paired, const PairedTestOptions& options) {
  Difference made;
  const double queries = sum(paired.queries);
  made.a = sum(paired.a) / queries;
  made.b = sum(paired.b) / queries;
  made.b_minus_a = sum(paired.difference) / queries;
  made.interval = bootstrap_means(std::span(&paired.difference, 1), paired.queries, options.bootstrap)[0];
  made.p_value = sign_flip_p_value(paired.difference, options.permutations, options.bootstrap.seed);
  return made;
}

using Metric = double (*)(double rank);
double reciprocal(double rank) { return 1 / rank; }
double hit_at_1(double rank) { return rank <= 1 ? 1 : 0; }
double hit_at_10(double rank) { return rank <= 10 ? 1 : 0; }

/// Rows are sorted, so the two directions of a triple lie together.
Paired paired(std::span<const RankRow> a, std::span<const RankRow> b, Metric metric, const std::string* relation) {
  Paired made;
  const RankRow* last = nullptr;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (relation != nullptr && a[i].relation != *relation) continue;
    if (last == nullptr || fact_of(*last) != fact_of(a[i])) made.next_triple();
    last = &a[i];
    made.add(metric(a[i].realistic), metric(b[i].realistic));
  }
  return made;
}

std::vector<RelationDifference> by_relation(std::span<const RankRow> a, std::span<const RankRow> b,
                                            const PairedTestOptions& options) {
  std::map<std::string, std::int64_t> queries;
  for (const RankRow& row : a) ++queries[row.relation];
  std::vector<RelationDifference> made;
  std::vector<double> p_values;
  for (const auto& [relation, count] : queries) {
    made.push_back({relation, count, difference_of(paired(a, b, reciprocal, &relation), options)});
    p_values.push_back(made.back().mrr.p_value);
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < made.size(); ++i) made[i].p_adjusted = adjusted[i];
  std::stable_sort(made.begin(), made.end(), [](const auto& x, const auto& y) { return x.queries > y.queries; });
  return made;
}

}  // namespace

double sign_flip_p_value(std::span<const double> values, std::int64_t permutations, std::uint64_t seed) {
  const double total = std::abs(sum(values));
  // Sums that differ by rounding alone are the same sum.
  double magnitude = 0;
  for (const double value : values) magnitude += std::abs(value);
  const double reached = total - 1e-12 * magnitude;
  std::atomic<std::int64_t> hits{0};
  const auto count = static_cast<std::size_t>(permutations);
  const std::size_t grain = values.size() * count < (1U << 22) ? count : 64;
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    std::int64_t found = 0;
    for (std::size_t p = begin; p < end; ++p) {
      Rng rng(seed, "sign flips", p);
      double flipped = 0;
      for (std::size_t i = 0; i < values.size();) {
        std::uint64_t signs = rng.next();
        const std::size_t stop = std::min(values.size(), i + 64);
        for (; i < stop; ++i, signs >>= 1) flipped += (signs & 1U) != 0 ? values[i] : -values[i];
      }
      found += std::abs(flipped) >= reached ? 1 : 0;
    }
    hits += found;
  });
  return static_cast<double>(1 + hits) / static_cast<double>(1 + permutations);
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

Comparison compare_ranks(std::vector<RankRow> a, std::vector<RankRow> b, const PairedTestOptions& options) {
  std::stable_sort(a.begin(), a.end(), by_key);
  std::stable_sort(b.begin(), b.end(), by_key);
  check_same_queries(a, b);
  HASA_CHECK(!a.empty(), data, "no queries to compare");
  Comparison made;
  made.queries = static_cast<std::int64_t>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    made.a_better += a[i].realistic < b[i].realistic ? 1 : 0;
    made.b_better += b[i].realistic < a[i].realistic ? 1 : 0;
  }
  const Paired whole = paired(a, b, reciprocal, nullptr);
  made.triples = static_cast<std::int64_t>(whole.queries.size());
  made.mrr = difference_of(whole, options);
  made.hits_at_1 = difference_of(paired(a, b, hit_at_1, nullptr), options);
  made.hits_at_10 = difference_of(paired(a, b, hit_at_10, nullptr), options);
  made.relations = by_relation(a, b, options);
  return made;
}

}  // namespace hasa
