#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/serve/question.h"
#include "hasa/serve/served_run.h"

namespace hasa {

/// What is scored: (given, directed relation, ?).
struct Asked {
  const Given* given;
  RelationId relation;
};

/// The scores of all that may answer, in one state of a run: a column for each entity that the model was trained with,
/// then one for each row of state.vectors(). Some columns are nobody's.
class ScoreTable {
 public:
  ScoreTable(const ServedRun& run, const LiveState& state) : run_(run), state_(state) {}

  std::int64_t columns() const { return run_.scorer().num_entities() + std::ssize(state_.owners()); }
  /// -1 where the entity has none, as one that was deleted.
  std::int64_t column_of(EntityId entity) const;
  /// Of a column that is somebody's.
  EntityId entity_at(std::int64_t column) const;
  /// Nobody's columns, [columns] int64 on the CPU.
  torch::Tensor unused() const;
  /// How many queries to score at a time.
  std::size_t queries_at_once() const;

  /// [asked, columns] float32 on the run's device. Throws Refusal unreadable for a text where none is read.
  torch::Tensor scores(std::span<const Asked> asked) const;
  /// Of one candidate for each: [asked]
  torch::Tensor scores_of(std::span<const Asked> asked, std::span<const Given* const> candidates) const;

 private:
  /// Whether the model has the entity as it was trained.
  bool is_trained(const Given& given) const;
  torch::Tensor query_vectors(std::span<const Asked> asked) const;      // [asked, dim]
  torch::Tensor vectors(std::span<const Given* const> entities) const;  // [entities, dim]

  const ServedRun& run_;
  const LiveState& state_;
};

}  // namespace hasa
