#include "hasa/eval/calibration.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/eval/logistic_fit.h"

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFolds = 5;
/// With fewer answers of either kind an isotonic fit is mostly noise.
constexpr std::size_t kFewestForSteps = 200;

using Queries = std::vector<const TopAnswers*>;

ScoreContext context_of(const TopAnswers& query) { return {query.query.relation, query.scores}; }

std::vector<std::uint8_t> outcomes_of(std::span<const TopAnswers* const> queries) {
  std::vector<std::uint8_t> outcomes;
  for (const TopAnswers* query : queries) outcomes.insert(outcomes.end(), query->is_true.begin(), query->is_true.end());
  return outcomes;
}

/// Probabilities by log-odds. An additional true answer at the low end, and a
/// false one at the high end, keep them away from 0 and 1.
Isotonic rates_of(std::vector<double> log_odds, std::span<const std::uint8_t> outcomes) {
  std::vector<double> rates(outcomes.begin(), outcomes.end());
  const auto [least, greatest] = std::minmax_element(log_odds.begin(), log_odds.end());
  const double low = *least, high = *greatest;
  log_odds.insert(log_odds.end(), {low, high});
  rates.insert(rates.end(), {1, 0});
  return Isotonic::fit(log_odds, rates);
}

/// The log-odds of every candidate, from evidence fitted without its fold.
struct CrossFit {
  std::vector<Queries> folds;
  std::vector<std::vector<double>> log_odds;  // of each fold's candidates
  std::vector<std::vector<std::uint8_t>> outcomes;

  CrossFit(std::span<const TopAnswers> queries, ScoreEvidence::Form form) : folds(kFolds), log_odds(kFolds) {
    for (std::size_t i = 0; i < queries.size(); ++i) folds[i % kFolds].push_back(&queries[i]);
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      const ScoreEvidence evidence = ScoreEvidence::fit(all_but(fold), form);
      for (const TopAnswers* query : folds[fold]) {
        for (const float score : query->scores) log_odds[fold].push_back(evidence.log_odds(score, context_of(*query)));
      }
      outcomes.push_back(outcomes_of(folds[fold]));
    }
  }

  Queries all_but(std::size_t left_out) const { return joined(folds, left_out); }

  template <class T>
  static std::vector<T> joined(const std::vector<std::vector<T>>& parts, std::size_t left_out) {
    std::vector<T> all;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (p != left_out) all.insert(all.end(), parts[p].begin(), parts[p].end());
    }
    return all;
  }

  Isotonic rates(std::size_t left_out) const {
    return rates_of(joined(log_odds, left_out), joined(outcomes, left_out));
  }

  Reliability reliability(bool isotonic) const {
    std::vector<double> stated;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      if (!isotonic) std::transform(log_odds[fold].begin(), log_odds[fold].end(), std::back_inserter(stated), sigmoid);
      if (isotonic) std::ranges::transform(log_odds[fold], std::back_inserter(stated), rates(fold));
    }
    return reliability_of(stated, joined(outcomes, kFolds));
  }
};

Json json_of(const Reliability& r) {
  return {{"answers", r.answers},
          {"base_rate", r.base_rate},
          {"calibration_error", r.calibration_error},
          {"brier", r.brier},
          {"brier_of_base_rate", r.brier_of_base_rate}};
}

Reliability reliability_from(const Json& json) {
  return {.answers = json.at("answers").get<std::int64_t>(),
          .base_rate = json.at("base_rate").get<double>(),
          .calibration_error = json.at("calibration_error").get<double>(),
          .brier = json.at("brier").get<double>(),
          .brier_of_base_rate = json.at("brier_of_base_rate").get<double>(),
          .bins = {}};
}

}  // namespace

std::optional<Calibration> Calibration::fit(std::span<const TopAnswers> queries) {
  Queries all;
  for (const TopAnswers& query : queries) all.push_back(&query);
  const std::vector<std::uint8_t> outcomes = outcomes_of(all);
  const auto truths = static_cast<std::size_t>(std::count(outcomes.begin(), outcomes.end(), 1));
  const std::size_t rarer = std::min(truths, outcomes.size() - truths);
  if (rarer < kFewestTrue) return std::nullopt;
  const bool isotonic = rarer >= kFewestForSteps;

  Calibration best;
  for (const ScoreEvidence::Form form : {ScoreEvidence::Form::score, ScoreEvidence::Form::standing}) {
    const CrossFit crossed(queries, form);
    Reliability reliability = crossed.reliability(isotonic);
    if (form != ScoreEvidence::Form::score && reliability.brier >= best.on_validation_.brier) continue;
    best.evidence_ = ScoreEvidence::fit(all, form);
    best.rates_.reset();
    if (isotonic) best.rates_ = crossed.rates(kFolds);
    best.on_validation_ = std::move(reliability);
  }
  return best;
}

double Calibration::probability(float score, const ScoreContext& context) const {
  const double log_odds = evidence_.log_odds(score, context);
  return rates_ ? (*rates_)(log_odds) : sigmoid(log_odds);
}

std::string Calibration::words() const {
  const std::string how = is_isotonic() ? "isotonic regression" : "logistic regression";
  const bool standing = form() == ScoreEvidence::Form::standing;
  return how + (standing ? " on a score and its context among the ten best of its query" : " on a score");
}

std::string Calibration::to_json() const {
  Json json{{"form", to_string(evidence_.form)},
            {"temperature", evidence_.temperature},
            {"centre", evidence_.centre},
            {"scale", evidence_.scale},
            {"relations", evidence_.relation_level},
            {"weights", evidence_.weights},
            {"rates", nullptr},
            {"on_validation", json_of(on_validation_)}};
  if (rates_) {
    json["rates"] = Json::array();
    for (const Isotonic::Knot& knot : rates_->knots()) json["rates"].push_back({knot.x, knot.y});
  }
  return json.dump();
}

Calibration Calibration::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Calibration made;
    ScoreEvidence& evidence = made.evidence_;
    const std::string form = json.at("form").get<std::string>();
    evidence.form = form == "score" ? ScoreEvidence::Form::score : ScoreEvidence::Form::standing;
    json.at("temperature").get_to(evidence.temperature);
    json.at("centre").get_to(evidence.centre);
    json.at("scale").get_to(evidence.scale);
    json.at("relations").get_to(evidence.relation_level);
    json.at("weights").get_to(evidence.weights);
    const std::size_t features = evidence.form == ScoreEvidence::Form::score ? 2 : 5;
    HASA_CHECK(form == to_string(evidence.form) && evidence.weights.size() == features && evidence.temperature > 0 &&
                   evidence.scale > 0,
               data, "a calibration of form {} with {} weights", form, evidence.weights.size());
    if (const Json& rates = json.at("rates"); !rates.is_null()) {
      std::vector<Isotonic::Knot> knots;
      for (const Json& knot : rates) knots.push_back({knot.at(0).get<double>(), knot.at(1).get<double>()});
      made.rates_.emplace(std::move(knots));
    }
    made.on_validation_ = reliability_from(json.at("on_validation"));
    return made;
  } catch (const nlohmann::json::exception& problem) {
    fail(ErrorKind::data, "not a calibration: {}", problem.what());
  }
}

Reliability reliability_of(const Calibration& calibration, std::span<const TopAnswers> queries, std::size_t of_each) {
  std::vector<double> stated;
  std::vector<std::uint8_t> came_true;
  for (const TopAnswers& query : queries) {
    for (std::size_t k = 0; k < std::min(of_each, query.scores.size()); ++k) {
      stated.push_back(calibration.probability(query.scores[k], context_of(query)));
      came_true.push_back(query.is_true[k]);
    }
  }
  return reliability_of(stated, came_true);
}

}  // namespace hasa
