#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/input/text_inputs.h"
#include "hasa/kg/known_answers.h"
#include "hasa/negative/negatives_config.h"

namespace hasa {

/// A training triple in one of its directions.
struct StepTriple {
  Triple triple;         // directed
  std::uint32_t number;  // of the training triple it comes from
};

/// What is known of a step before any text is encoded.
struct StepCandidates {
  std::span<const StepTriple> batch;
  std::span<const EntityId> mined;       // any number of entities, -1 for none
  std::span<const EntityId> neighbours;  // the same number for each triple, -1 for none
};

/// The texts of a step, each to be encoded once, and which are candidates of which query.
/// Columns are the texts of entities, which come first; then come the relations (query=gru) or the queries
/// (query=joint).
struct StepPlan {
  std::vector<TextRequest> texts;
  std::int64_t columns = 0;
  std::int64_t candidates = 0;             // candidate columns; the rest are encoded only for `heads` and `neighbours`
  std::vector<std::int64_t> positive;      // [batch] column of the answer
  std::vector<std::int64_t> heads;         // [batch] column of the head; empty for joint queries
  std::vector<std::int64_t> relations;     // [batch] place among the relations; empty for joint queries
  std::vector<std::int64_t> neighbours;    // [batch * samples] columns, -1 for none
  std::vector<std::int64_t> no_negatives;  // query * columns + column of excluded candidates
  std::vector<float> multiplicity;         // [columns]; empty: each counts once
};

struct StepPlanOptions {
  bool joint = false;
  /// Entity texts include edges, so a head and a tail are encoded with their own
  /// edge left out, and one entity may have several texts. Otherwise each entity is encoded once.
  bool context = false;
};

/// Plans steps for one graph; has scratch memory, so not thread-safe.
class StepPlanner {
 public:
  /// `known`: the known training answers; must outlive this.
  StepPlanner(const KnownAnswers& known, EntityId entities, const NegativesConfig& config,
              const StepPlanOptions& options);

  StepPlan plan(const StepCandidates& step);

 private:
  /// The column of a new text.
  std::int64_t add_column(StepPlan& plan, EntityId entity, std::optional<std::uint32_t> left_out);
  /// The column of an entity, new if it has none.
  std::int64_t column_of(StepPlan& plan, EntityId entity);
  std::int64_t column_in_batch(StepPlan& plan, EntityId entity, std::uint32_t left_out);
  void add_candidates(const StepCandidates& step, StepPlan& plan);
  void add_queries(const StepCandidates& step, StepPlan& plan);
  void find_no_negatives(const StepCandidates& step, StepPlan& plan) const;

  const KnownAnswers& known_;
  NegativesConfig config_;
  StepPlanOptions options_;
  std::vector<std::int32_t> first_column_;  // of each entity, -1 for none
  std::vector<std::int32_t> next_column_;   // of the same entity
  std::vector<float> times_;                // how often each column was a candidate
};

}  // namespace hasa
