#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/isotonic.h"
#include "hasa/eval/reliability.h"
#include "hasa/eval/score_evidence.h"
#include "hasa/eval/top_answers.h"

namespace hasa {

/// Calibration of scores. An answer's probability is the fraction of answers with such a score,
/// in such a context among its query's ten best, that were true on the validation
/// split, whose links are held out and for which known answers are filtered. It holds
/// for questions that have an answer missing from the graph; for questions without an answer, it overstates.
///
/// Scores become log-odds (ScoreEvidence), and those become probabilities by a monotone function: isotonic regression,
/// or Platt scaling if the split has too few answers of either kind. The
/// form is the one with the better Brier score on held-out folds of the validation split.
class Calibration {
 public:
  /// Nothing if fewer than kFewestTrue candidates are true or fewer are false: such a split is too small.
  static std::optional<Calibration> fit(std::span<const TopAnswers> queries);
  static constexpr std::size_t kFewestTrue = 10;

  /// Within a query it is monotone in the score. In (0, 1), bounded by the
  /// number of validation answers: with 3,000 of a kind it stays within 0.0003 and .9997.
  double probability(float score, const ScoreContext& context) const;

  /// On held-out validation answers, fold by fold.
  const Reliability& on_validation() const { return on_validation_; }
  ScoreEvidence::Form form() const { return evidence_.form; }
  bool is_isotonic() const { return rates_.has_value(); }
  /// "isotonic regression on a score and its context among the ten best of its query"
  std::string words() const;

  /// To and from a JSON object; throws data for anything to_json() did not write.
  std::string to_json() const;
  static Calibration from_json(const std::string& json);

 private:
  ScoreEvidence evidence_;
  std::optional<Isotonic> rates_;  // by log-odds
  Reliability on_validation_;
};

/// How reliable it is on the queries' best candidates, so many
/// of each. `queries` are of a split it was not fitted to.
Reliability reliability_of(const Calibration& calibration, std::span<const TopAnswers> queries,
                           std::size_t of_each = TopAnswersOf::kDepth);

}  // namespace hasa
