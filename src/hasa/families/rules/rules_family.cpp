#include "hasa/families/rules/rules_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/stopwatch.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/rules/rules_file.h"
#include "hasa/families/rules/rules_scorer.h"
#include "hasa/families/text_facts.h"

namespace hasa {
namespace {

std::unique_ptr<EdgeGroups> training_edges(const Graph& graph) {
  return std::make_unique<EdgeGroups>(graph.triples(Split::train), graph.entities(), graph.relations());
}

std::string kinds_of(const RuleMiningConfig& model) {
  std::vector<std::string> kinds;
  if (model.frequency) kinds.emplace_back("how often c answered r");
  if (model.constants > 0) kinds.emplace_back("r(X, c) <= s(X, d)");
  if (model.edges) kinds.emplace_back("r(X, Y) <= s(X, Y) or s(Y, X)");
  if (model.paths) kinds.emplace_back("r(X, Y) <= s(X, Z), t(Z, Y)");
  return fmt::format("{}", fmt::join(kinds, "; "));
}

void log_rules(const std::vector<Rule>& rules, double seconds) {
  std::string counts;
  for (const RuleKind kind : kRuleKinds) {
    const auto count = std::count_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.kind == kind; });
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, to_string(kind));
  }
  log_info("rules found in {:.1f} s: {}", seconds, counts);
}

}  // namespace

void check(const RulesFamily& config, const torch::Device&) {
  const RuleMiningConfig& model = config.model;
  HASA_CHECK(model.frequency || model.constants > 0 || model.edges || model.paths, config,
             "no kind of rule is enabled\nset one of model.frequency, model.constants, model.edges and model.paths");
}

void fit(const RulesFamily& config, const TrainContext& context, const Run& run) {
  const Stopwatch watch;
  const std::vector<Rule> rules = mine_rules(*training_edges(context.graph), config.model, context.seed);
  log_rules(rules, watch.seconds());
  write_rules_in_words(run / "best/rules.tsv", rules, context.graph);
  save_rules(run / Run::kBest, rules, context.graph.relations());
}

std::unique_ptr<Scorer> open_scorer(const RulesFamily&, const OpenContext& context) {
  const RelationId mined_in = context.run.check_graph(context.graph).relations;
  return std::make_unique<RulesScorer>(training_edges(context.graph),
                                       load_rules(context.run / Run::kBest, context.graph, mined_in), context.device);
}

ModelFacts facts(const RulesFamily& config) {
  return {.name = "rules of the training graph: " + kinds_of(config.model),
          .language_model = "none",
          .text_template = kNoText,
          .context = "none",
          .training_graph = "all training edges, no valid or test edges",
          .score = "confidence of the best rule that predicts the entity, plus 1/256 of the next one's, and so on"};
}

std::int64_t opening_bytes(const RulesFamily&, const Run& run, const Graph& graph) {
  constexpr std::int64_t kBytesPerEdge = 48;  // sorted triples, then tails, twins and groups
  return bytes_of_vectors(run, graph, /*dim=*/0) +
         kBytesPerEdge * 2 * static_cast<std::int64_t>(graph.triples(Split::train).size());
}

}  // namespace hasa
