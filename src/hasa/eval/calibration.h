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

/// From scores to probabilities. An answer's probability is the share of answers with such a score, standing as it does
/// among its query's ten best, that came true on the validation split: where its link was held out and known answers
/// were not in the way. It is a statement on questions that have an answer the graph lacks; asked for what nobody
/// could know, a model's best guesses are rarer true than they say.
///
/// Scores become log-odds (ScoreEvidence), and those, by a function that never falls, rates: isotonic regression, or
/// the log-odds as they are (Platt) where the split has too few answers of either kind. The form is the one with the
/// better Brier score on folds of validation that it was not fitted to.
class Calibration {
 public:
  /// Nothing where fewer than kFewestTrue candidates are true, or fewer are not: such a split can say nothing.
  static std::optional<Calibration> fit(std::span<const TopAnswers> queries);
  static constexpr std::size_t kFewestTrue = 10;

  /// Within a query it never falls as the score rises. In (0, 1); 0.0003 and .9997 are as sure as it gets where
  /// validation had 3,000 answers of a kind.
  double probability(float score, const ScoreContext& context) const;

  /// On validation answers it was not fitted to, fold by fold.
  const Reliability& on_validation() const { return on_validation_; }
  ScoreEvidence::Form form() const { return evidence_.form; }
  bool is_isotonic() const { return rates_.has_value(); }
  /// "isotonic regression on a score and how it stands among the ten best of its query"
  std::string words() const;

  /// One JSON object, and back; throws data for what to_json() did not write.
  std::string to_json() const;
  static Calibration from_json(const std::string& json);

 private:
  ScoreEvidence evidence_;
  std::optional<Isotonic> rates_;  // by log-odds
  Reliability on_validation_;
};

/// What it states of each of the queries' candidates beside what came true. `queries` are of a split it was not
/// fitted to.
Reliability reliability_of(const Calibration& calibration, std::span<const TopAnswers> queries);

}  // namespace hasa
