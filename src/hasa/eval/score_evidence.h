#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/eval/top_answers.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// The context of a score: the other scores of its query.
struct ScoreContext {
  RelationId relation = 0;      // directed, as in the query
  std::span<const float> best;  // the query's ten highest scores, best first, known answers excluded;
                                // all of them if there are fewer
};

/// A score as log-odds of being true. One model's scores are not comparable between queries: the same score
/// is the best of one and the tenth of another. So besides the score alone there is a
/// form that uses its context: its softmax probability among the ten best, its rank, how high the ten
/// are, and how often answers to this relation were true. Within one query both are monotone in the score.
struct ScoreEvidence {
  enum class Form : std::uint8_t { score, standing };

  Form form = Form::score;
  double temperature = 1;              // of the softmax
  double centre = 0, scale = 1;        // of scores, or of how high the ten best are
  std::vector<double> relation_level;  // log-odds; [directed relations met], 0 for others
  std::vector<double> weights;

  static ScoreEvidence fit(std::span<const TopAnswers* const> queries, Form form);
  double log_odds(float score, const ScoreContext& context) const;
};

const char* to_string(ScoreEvidence::Form form);

}  // namespace hasa
