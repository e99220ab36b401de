#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/families/path/path_config.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query.h"

namespace hasa {

/// The queries and answers of a step, as lists of numbers.
struct PathExamples {
  std::vector<Query> queries;
  std::vector<std::int64_t> query_of_answer;  // [answers] a place in queries
  std::vector<std::int64_t> answers;          // [answers] an entity each
  std::vector<std::int64_t> negatives;        // [queries * negatives], none of them a known training answer
  std::vector<std::int64_t> hidden;           // hidden triples, which no query may use: distinct, sorted
};

/// The distinct queries of the training triples in both directions, and the examples of a step: for some of
/// the queries a few known answers, negatives, and the triples to hide so that no answer can be read
/// off the graph. Examples are distinct queries rather than triples, because one pass of messages serves all answers of
/// a query.
class PathExampleSource {
 public:
  /// The graph must outlive it.
  PathExampleSource(const Graph& graph, const PathTrainingConfig& config);

  std::int64_t size() const { return static_cast<std::int64_t>(queries_.size()); }
  const KnownAnswers& known() const { return known_; }
  /// Example numbers in, everything drawn from rng.
  PathExamples draw(std::span<const std::int64_t> numbers, Rng& rng) const;

  /// All training triples equal to this directed one.
  std::vector<std::int64_t> copies(const Triple& directed) const;
  /// All training triples between two entities, in any direction and of any relation.
  std::vector<std::int64_t> between(EntityId a, EntityId b) const;

 private:
  void draw_answers(const Query& query, Rng& rng, std::vector<EntityId>& into) const;
  EntityId draw_negative(std::span<const EntityId> known, Rng& rng) const;

  const Graph& graph_;
  PathTrainingConfig config_;
  KnownAnswers known_;
  std::vector<Query> queries_;
  std::vector<std::int64_t> by_pair_;  // triples in order of (lesser end, greater end, triple)
};

}  // namespace hasa
