#include "hasa/eval/score_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hasa/eval/logistic_fit.h"

namespace hasa {
namespace {

using Form = ScoreEvidence::Form;

constexpr double kPenalty = 1e-2;
constexpr double kLeastLogShare = -30;  // of a softmax
constexpr double kMostScales = 10;      // from the centre
/// A relation's rate is shrunk towards the overall rate as if by so many further answers.
constexpr double kRelationPrior = 50;
constexpr double kGreatestScore = 1e30;
constexpr std::size_t kScoreFeature = 1, kShareFeature = 1, kRankFeature = 3;

double finite(float score) {
  return std::isnan(score) ? -kGreatestScore : std::clamp(static_cast<double>(score), -kGreatestScore, kGreatestScore);
}

double quantile(std::vector<double>& values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// T log sum exp(s / T) over the best: how high they are.
double level_of(std::span<const float> best, double temperature) {
  if (best.empty()) return 0;
  const double top = finite(best.front());
  double sum = 0;
  for (const float score : best) sum += std::exp((finite(score) - top) / temperature);
  return top + temperature * std::log(sum);
}

/// Ties share their mean rank.
double rank_among(float score, std::span<const float> best) {
  double higher = 0, equal = 0;
  for (const float other : best) {
    higher += other > score ? 1 : 0;
    equal += other == score ? 1 : 0;
  }
  return 1 + higher + std::max(0.0, equal - 1) / 2;
}

double standardised(double value, const ScoreEvidence& evidence) {
  return std::clamp((value - evidence.centre) / evidence.scale, -kMostScales, kMostScales);
}

void append_features(const ScoreEvidence& evidence, float score, const ScoreContext& context,
                     std::vector<double>& out) {
  const auto best = context.best.first(std::min<std::size_t>(context.best.size(), TopAnswersOf::kDepth));
  if (evidence.form == Form::score) {
    out.insert(out.end(), {1, standardised(finite(score), evidence)});
    return;
  }
  const double level = level_of(best, evidence.temperature);
  const auto relation = static_cast<std::size_t>(context.relation);
  out.insert(out.end(), {1, std::max(kLeastLogShare, (finite(score) - level) / evidence.temperature),
                         standardised(level, evidence), -std::log(rank_among(score, best)),
                         relation < evidence.relation_level.size() ? evidence.relation_level[relation] : 0});
}

/// The temperature for which a softmax over the ten best maximises the likelihood of the true ones.
double likeliest_temperature(std::span<const TopAnswers* const> queries) {
  std::vector<double> spreads;
  for (const TopAnswers* query : queries) {
    const double spread = query->scores.empty() ? 0 : finite(query->scores.front()) - finite(query->scores.back());
    if (spread > 0) spreads.push_back(spread);
  }
  if (spreads.empty()) return 1;
  const double spread = quantile(spreads, 0.5);
  double best = spread, best_sum = -std::numeric_limits<double>::infinity();
  for (int step = -16; step <= 8; ++step) {
    const double temperature = spread * std::exp2(step / 2.0);
    double sum = 0;
    for (const TopAnswers* query : queries) {
      const double level = level_of(query->scores, temperature);
      for (std::size_t k = 0; k < query->scores.size(); ++k) {
        if (query->is_true[k] != 0) sum += std::max(kLeastLogShare, (finite(query->scores[k]) - level) / temperature);
      }
    }
    if (sum > best_sum) best = temperature, best_sum = sum;
  }
  return best;
}

std::vector<double> relation_levels(std::span<const TopAnswers* const> queries) {
  std::vector<double> truths, answers;
  double all_truths = 0, all_answers = 0;
  for (const TopAnswers* query : queries) {
    const auto relation = static_cast<std::size_t>(query->query.relation);
    if (relation >= truths.size()) truths.resize(relation + 1), answers.resize(relation + 1);
    for (const std::uint8_t is_true : query->is_true) truths[relation] += is_true;
    answers[relation] += static_cast<double>(query->is_true.size());
  }
  for (std::size_t r = 0; r < truths.size(); ++r) all_truths += truths[r], all_answers += answers[r];
  const auto log_odds = [](double p) { return std::log(p / (1 - p)); };
  const double base = (all_truths + 1) / (all_answers + 2);
  std::vector<double> levels;
  for (std::size_t r = 0; r < truths.size(); ++r)
    levels.push_back(log_odds((truths[r] + kRelationPrior * base) / (answers[r] + kRelationPrior)) - log_odds(base));
  return levels;
}

/// Robust, as a few scores may be far out or infinite.
void set_scale(ScoreEvidence& evidence, std::span<const TopAnswers* const> queries) {
  std::vector<double> values;
  for (const TopAnswers* query : queries) {
    if (evidence.form == Form::standing) values.push_back(level_of(query->scores, evidence.temperature));
    if (evidence.form == Form::score)
      std::transform(query->scores.begin(), query->scores.end(), std::back_inserter(values), finite);
  }
  if (values.empty()) return;
  evidence.centre = quantile(values, 0.5);
  const double spread = (quantile(values, 0.84) - quantile(values, 0.16)) / 2;
  evidence.scale = spread > 0 ? spread : 1;
}

}  // namespace

ScoreEvidence ScoreEvidence::fit(std::span<const TopAnswers* const> queries, Form form) {
  ScoreEvidence evidence;
  evidence.form = form;
  if (form == Form::standing) {
    evidence.temperature = likeliest_temperature(queries);
    evidence.relation_level = relation_levels(queries);
  }
  set_scale(evidence, queries);
  std::vector<double> features;
  std::vector<std::uint8_t> outcomes;
  for (const TopAnswers* query : queries) {
    for (const float score : query->scores)
      append_features(evidence, score, {query->query.relation, query->scores}, features);
    outcomes.insert(outcomes.end(), query->is_true.begin(), query->is_true.end());
  }
  const std::size_t width = form == Form::score ? 2 : 5;
  // Weights by which the probability would fall as the score rises are held at 0, and the rest refitted.
  std::vector<std::size_t> rising = {kScoreFeature};
  if (form == Form::standing) rising = {kShareFeature, kRankFeature};
  for (;;) {
    evidence.weights = fit_logistic(features, width, outcomes, kPenalty);
    const auto falls =
        std::find_if(rising.begin(), rising.end(), [&](std::size_t f) { return evidence.weights[f] < 0; });
    if (falls == rising.end()) return evidence;
    for (std::size_t at = *falls; at < features.size(); at += width) features[at] = 0;
    rising.erase(falls);
  }
}

double ScoreEvidence::log_odds(float score, const ScoreContext& context) const {
  std::vector<double> features;
  append_features(*this, score, context, features);
  double sum = 0;
  for (std::size_t f = 0; f < features.size(); ++f) sum += features[f] * weights[f];
  return sum;
}

const char* to_string(ScoreEvidence::Form form) { return form == Form::score ? "score" : "standing"; }

}  // namespace hasa
