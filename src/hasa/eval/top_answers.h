#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "hasa/eval/ranking.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// A query of a split with its best candidates, best first; of equal scores the smaller entity first.
struct TopAnswers {
  Query query;
  std::vector<EntityId> entities;
  std::vector<float> scores;
  std::vector<std::uint8_t> is_true;  // whether the split says so
};

/// Collects the ten best candidates of each distinct query of a split as its scores are computed,
/// with previously known answers filtered: training answers, and for the test split those of validation too. These
/// are the answers a user would see, and probabilities are measured by how many of them are true.
class TopAnswersOf {
 public:
  static constexpr std::int64_t kDepth = 10;

  TopAnswersOf(const Graph& graph, Split split, const torch::Device& device);
  /// Queries seen before are skipped.
  void add(const ScoredQueries& part);
  std::vector<TopAnswers> take() { return std::move(gathered_); }

 private:
  /// Overwrites the scores.
  void add_rows(std::span<const Triple> queries, const torch::Tensor& scores);

  KnownAnswers before_, of_split_;
  torch::Device device_;
  std::set<Query> seen_;
  std::vector<TopAnswers> gathered_;
};

/// The distinct queries of a split, both directions; if there are more than `most`, that many spread over it.
std::vector<Triple> distinct_queries(const Graph& graph, Split split, std::size_t most);

}  // namespace hasa
