#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/triple.h"

namespace hasa {

/// The data of a fit: for each validation query, the features of the answer and of a sample of
/// its rivals that represents all of them. A randomly sampled rival represents several, by the exponential of its
/// log_count.
class FitTable {
 public:
  explicit FitTable(std::size_t features) : num_features_(features) {}

  struct Query {
    RelationId relation = 0;  // directed: each has its own weights
    std::int32_t fold = 0;
    std::uint64_t begin = 0, end = 0;  // its candidates; the first is the answer
  };

  void add_query(RelationId relation, std::int32_t fold);
  /// Adds to the latest query; the answer comes first, with log_count 0. features: [num_features()].
  void add_candidate(std::span<const float> features, float log_count);

  std::size_t num_features() const { return num_features_; }
  std::span<const Query> queries() const { return queries_; }
  std::span<const float> features(std::uint64_t candidate) const {
    return {features_.data() + candidate * num_features_, num_features_};
  }
  float log_count(std::uint64_t candidate) const { return log_counts_[candidate]; }
  std::size_t num_candidates() const { return log_counts_.size(); }

 private:
  std::size_t num_features_;
  std::vector<Query> queries_;
  std::vector<float> features_;  // [candidates, features]
  std::vector<float> log_counts_;
};

}  // namespace hasa
