#pragma once

#include "hasa/families/family.h"
#include "hasa/families/rules/mine_rules.h"

namespace hasa {

/// Short rules of the training graph, each with how often it held there. Everything can be read.
struct RulesFamily {
  static constexpr const char* kTag = "rules";
  static constexpr const char* kDoc =
      "short rules mined from the training graph, with how often they held: seconds on a CPU";

  RuleMiningConfig model;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("model", &RulesFamily::model, "which rules are looked for, and which are kept");
  }
};

void check(const RulesFamily& config, const torch::Device& device);
/// Writes the rules to the run, and best/rules.tsv for readers.
void fit(const RulesFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const RulesFamily& config, const OpenContext& context);
ModelFacts facts(const RulesFamily& config);
std::int64_t opening_bytes(const RulesFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
