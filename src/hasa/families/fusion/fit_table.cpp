#include "hasa/families/fusion/fit_table.h"

namespace hasa {

void FitTable::add_query(RelationId relation, std::int32_t fold) {
  queries_.push_back({.relation = relation, .fold = fold, .begin = log_counts_.size(), .end = log_counts_.size()});
}

void FitTable::add_candidate(std::span<const float> features, float log_count) {
  features_.insert(features_.end(), features.begin(), features.end());
  log_counts_.push_back(log_count);
  queries_.back().end = log_counts_.size();
}

}  // namespace hasa
