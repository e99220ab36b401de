#include "hasa/eval/classification_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hasa/base/shown_text.h"
#include "hasa/base/version.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kRelationRows = 20;
constexpr int kRelationWidth = 36;
constexpr const char* kThresholds =
    "per relation, the one with the highest accuracy on the validation split, corrupted the same way; a relation "
    "without validation triples uses that of all";
constexpr const char* kTripleScore = "the mean of its scores as an answer to (h, r, ?) and to (?, r, t)";

std::string row_of(const std::string& name, const Accuracy& a) {
  return fmt::format("{}{:>8}{:>10}{:>12}{:>10}{:>10}\n", shown_in_column(name, kRelationWidth), a.triples,
                     format_share(a.accuracy),
                     fmt::format("{}-{}", format_share(a.interval.low), format_share(a.interval.high)),
                     format_share(a.true_accepted), format_share(a.false_refused));
}

OrderedJson accuracy_json(const Accuracy& a) {
  return {{"triples", a.triples},
          {"accuracy", a.accuracy},
          {"interval", {a.interval.low, a.interval.high}},
          {"true_accepted", a.true_accepted},
          {"false_refused", a.false_refused}};
}

/// JSON has no infinity: null stands for a threshold beyond all scores, and `takes` says which.
OrderedJson threshold_json(const Threshold& threshold) {
  OrderedJson json{{"validation_triples", threshold.triples}};
  json["threshold"] = std::isfinite(threshold.value) ? OrderedJson(threshold.value) : OrderedJson(nullptr);
  if (!std::isfinite(threshold.value)) json["takes"] = threshold.value < 0 ? "all" : "none";
  return json;
}

}  // namespace

std::string to_table(const ClassificationReport& report, const Graph& graph) {
  std::string table = fmt::format("{}{:>8}{:>10}{:>12}{:>10}{:>10}\n", shown_in_column("", kRelationWidth), "triples",
                                  "accuracy", "95%", "true", "false");
  table += row_of("all", report.result.all) + "\n";
  const auto& relations = report.result.relations;
  for (std::size_t i = 0; i < std::min(relations.size(), kRelationRows); ++i)
    table += row_of("  " + graph.relation_text(relations[i].relation), relations[i].accuracy);
  if (relations.size() > kRelationRows)
    table += fmt::format("  and {} more with fewer triples: --json has them\n", relations.size() - kRelationRows);
  return table +
         fmt::format("\n  false triples   {}\n  thresholds      {}\n  score           {}\n  model           {}\n",
                     to_string(report.false_triples), kThresholds, kTripleScore, report.facts.model.name);
}

std::string to_json(const ClassificationReport& report, const Graph& graph) {
  OrderedJson json{{"run", report.run}, {"split", to_string(report.split)}};
  json["all"] = accuracy_json(report.result.all);
  json["relations"] = OrderedJson::array();
  for (const Classification::OfRelation& each : report.result.relations) {
    OrderedJson one{{"name", graph.relation_text(each.relation)}};
    one.update(accuracy_json(each.accuracy));
    one.update(threshold_json(each.threshold));
    json["relations"].push_back(std::move(one));
  }
  OrderedJson weights = OrderedJson::object();
  for (const auto& [file, hash] : report.facts.weights) weights[file] = hash;
  json["certificate"] = {{"false_triples", to_string(report.false_triples)},
                         {"thresholds", kThresholds},
                         {"score", fmt::format("{}; {}", kTripleScore, report.facts.model.score)},
                         {"intervals", "95% percentile bootstrap, a triple resampled together with its corruption"},
                         {"model", report.facts.model.name},
                         {"language_model", report.facts.model.language_model},
                         {"text_template", report.facts.model.text_template},
                         {"training_graph_at_test", report.facts.model.training_graph},
                         {"graph_hash", fmt::format("content hash {:016x}", graph.content_hash())},
                         {"weights", weights},
                         {"seed", report.facts.seed},
                         {"evaluated_by", fmt::format("hasa {} ({})", version(), commit())}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hasa
