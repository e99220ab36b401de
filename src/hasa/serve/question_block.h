#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/eval/calibration.h"
#include "hasa/serve/score_table.h"

namespace hasa {

struct Scored {
  EntityId entity;
  float score;

  /// Best first; of equal scores the lower entity number.
  bool operator<(const Scored& other) const {
    return score != other.score ? score > other.score : entity < other.entity;
  }
};

/// Questions that are scored together: what is known already is told apart from the best of what is new.
class QuestionBlock {
 public:
  QuestionBlock(const ScoreTable& table, const LiveState& state, std::span<const Asked> asked);

  /// The known answers of a question that the model has a score for, and the scores, in the same order.
  std::span<const KnownAnswer> known(std::size_t question) const { return known_[question]; }
  std::span<const float> known_scores(std::size_t question) const {
    return std::span(known_scores_).subspan(known_from_[question], known_[question].size());
  }

  /// Not a number once it was left out, and of an entity that has no column.
  float score_of(std::size_t question, EntityId entity) const;

  /// Takes out what is no new answer: the known, the given entity itself, columns that are nobody's. First of these
  /// three.
  void leave_out_known(const torch::Tensor& unused);
  /// The best that are left for a question, among some entities.
  std::vector<Scored> best_among(std::size_t question, std::span<const EntityId> entities, std::int64_t k) const;
  /// The best that are left for each question. Overwrites the scores.
  std::vector<std::vector<Scored>> best(std::int64_t k);
  /// How many of all that are left score higher, and how many are left. Not after best().
  std::int64_t count_above(std::size_t question, float score) const;
  std::int64_t count_left(std::size_t question) const;

 private:
  std::int64_t cell(std::size_t question, std::int64_t column) const {
    return static_cast<std::int64_t>(question) * table_.columns() + column;
  }

  const ScoreTable& table_;
  const LiveState& state_;
  std::span<const Asked> asked_;
  torch::Tensor scores_;  // [asked, columns]
  std::vector<std::vector<KnownAnswer>> known_;
  std::vector<std::size_t> known_from_;  // of each question's among:
  std::vector<std::int64_t> known_cells_;
  std::vector<float> known_scores_;
};

/// The probabilities of one question's answers; none where the run was not calibrated.
class Probabilities {
 public:
  /// A probability is told by how a score stands among so many.
  static constexpr std::int64_t kStandingAmong = TopAnswersOf::kDepth;

  /// best_new: as QuestionBlock::best() has them, kStandingAmong at least where there are as many.
  Probabilities(const Calibration* calibration, RelationId relation, std::span<const Scored> best_new);
  std::optional<double> of(float score) const;

 private:
  const Calibration* calibration_;
  RelationId relation_;
  std::vector<float> best_;
};

}  // namespace hasa
