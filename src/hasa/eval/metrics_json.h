#pragma once

#include <nlohmann/json.hpp>

#include "hasa/eval/metrics.h"

namespace hasa {

/// The metrics' names in every JSON document.
inline nlohmann::ordered_json json_of(const Metrics& m) {
  return {{"queries", m.queries},  {"mrr", m.mrr},          {"mr", m.mean_rank},
          {"hits@1", m.hits_at_1}, {"hits@3", m.hits_at_3}, {"hits@10", m.hits_at_10}};
}

inline nlohmann::ordered_json json_of(const Scores& scores) {
  return {{"all", json_of(scores.all)}, {"tails", json_of(scores.tails)}, {"heads", json_of(scores.heads)}};
}

}  // namespace hasa
