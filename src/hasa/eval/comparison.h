#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/bootstrap.h"
#include "hasa/eval/ranks_file.h"

namespace hasa {

/// One metric of two models on the same queries.
struct Difference {
  double a = 0, b = 0;
  double b_minus_a = 0;
  Interval interval;   // of b - a, by bootstrap
  double p_value = 1;  // of a difference at least this large, in either direction, if the two were equally good
};

struct RelationDifference {
  std::string relation;
  std::int64_t queries = 0;
  Difference mrr;
  double p_adjusted = 1;  // Holm's correction over the relations
};

struct Comparison {
  std::int64_t queries = 0, triples = 0;
  std::int64_t a_better = 0, b_better = 0;  // queries; the rest have the same rank
  Difference mrr, hits_at_1, hits_at_10;
  std::vector<RelationDifference> relations;  // by descending number of queries
};

struct PairedTestOptions {
  BootstrapOptions bootstrap;
  std::int64_t permutations = 10000;
};

/// Compares realistic ranks of the same queries. The bootstrap resamples triples and the permutation
/// test flips triples: both directions of a triple move together. Order does not matter.
/// Throws data, naming a query, if the two do not have the same queries.
Comparison compare_ranks(std::vector<RankRow> a, std::vector<RankRow> b, const PairedTestOptions& options = {});

/// Fraction of random signs for which |sum of the signed values| is at least the observed one, which is included:
/// (1 + hits) / (1 + permutations).
double sign_flip_p_value(std::span<const double> values, std::int64_t permutations, std::uint64_t seed);

/// Holm's step-down correction, in the order given.
std::vector<double> holm_adjusted(std::span<const double> p_values);

std::string to_table(const Comparison& comparison, const std::string& name_a, const std::string& name_b);
std::string to_json(const Comparison& comparison, const std::string& name_a, const std::string& name_b);

}  // namespace hasa
