#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "answers.h"
#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"
#include "hasa/families/fusion/fusion_scorer.h"
#include "hasa/families/rules/rule_words.h"
#include "hasa/families/rules/rules_scorer.h"
#include "hasa/job/trained_run.h"
#include "hasa/serve/lookup.h"
#include "output.h"

namespace hasa {
namespace {

struct PredictArguments {
  std::string run, head, relation, tail, graph, device;
  std::int64_t top = 10, reasons = 0;
  bool json = false;
};

/// The rules of a run, or of the fusion it is part of; null where there are none.
const RuleBook* rules_of(const Scorer& scorer) {
  if (const auto* rules = dynamic_cast<const RulesScorer*>(&scorer)) return &rules->book();
  const auto* fusion = dynamic_cast<const FusionScorer*>(&scorer);
  for (std::size_t p = 0; fusion != nullptr && p < fusion->features().num_parts(); ++p) {
    if (const RuleBook* rules = rules_of(fusion->features().part(p))) return rules;
  }
  return nullptr;
}

/// The best rules that give each answer.
std::string reasons(const Graph& graph, const PlainQuestion& question, std::span<const PlainAnswer> answers,
                    const RuleBook& rules, std::int64_t most) {
  std::string text;
  for (const PlainAnswer& answer : answers) {
    text += fmt::format("\n{}\n", shown(graph.entity_name(answer.entity)));
    auto firings = rules.firings({question.entity, question.relation}, answer.entity);
    firings.resize(std::min<std::size_t>(firings.size(), static_cast<std::size_t>(most)));
    if (firings.empty()) text += "  no rule gives it\n";
    for (const Firing& firing : firings) text += fmt::format("  {}\n", to_words(firing, graph));
  }
  return text;
}

void print_answers(const PredictArguments& options, const PlainPredictor& predictor, const Graph& graph,
                   const std::string& score, const RuleBook* rules) {
  const bool asks_tail = options.tail.empty();
  RelationId relation = find_relation(graph, options.relation);
  if (!asks_tail) relation = inverse(relation, graph.relations());
  const PlainQuestion question{find_entity(graph, asks_tail ? options.head : options.tail), relation};
  const auto answers = predictor.answers(question.entity, question.relation, options.top);
  print(options.json ? to_json(graph, question, answers, score) + "\n" : to_table(graph, question, answers, score));
  if (options.reasons > 0) print(reasons(graph, question, answers, *rules, options.reasons));
}

void print_standing(const PredictArguments& options, const PlainPredictor& predictor, const Graph& graph,
                    const std::string& score) {
  RelationId relation = find_relation(graph, options.relation);
  EntityId head = find_entity(graph, options.head), tail = find_entity(graph, options.tail);
  if (relation >= graph.relations()) {  // "reverse of ..."
    relation = inverse(relation, graph.relations());
    std::swap(head, tail);
  }
  const TripleStanding standing{{head, relation, tail},
                                predictor.standing(head, relation, tail),
                                predictor.standing(tail, inverse(relation, graph.relations()), head)};
  print(options.json ? to_json(graph, standing, score) + "\n" : to_table(graph, standing, score));
}

void predict(const PredictArguments& options) {
  HASA_CHECK(!options.head.empty() || !options.tail.empty(), config,
             "give --head and --relation to ask for the tail, --relation and --tail to ask for the head, or all three "
             "to ask how well they go together");
  const Run run = Run::open(options.run);
  TrainedRun trained = open_trained(run, options.graph, options.device);
  const Graph& graph = *trained.graph;
  const RuleBook* rules = rules_of(*trained.scorer);
  HASA_CHECK(options.reasons == 0 || rules != nullptr, config,
             "--reasons: {} has no rules\nask a run of model.type rules, or a fusion with one among its parts",
             options.run);
  const PlainPredictor predictor(graph, std::move(trained.scorer));
  const std::string score = facts_of(config_of(run)).score;
  if (!options.head.empty() && !options.tail.empty()) return print_standing(options, predictor, graph, score);
  print_answers(options, predictor, graph, score, rules);
}

}  // namespace

void add_predict(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("predict", "answer (head, relation, ?) or (?, relation, tail), or score a triple");
  const auto options = std::make_shared<PredictArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  CLI::Option* json = command->add_flag("--json", options->json, "one JSON document");
  command->add_option("--head", options->head, "id or name of an entity; with --tail too the triple is scored");
  command->add_option("--relation", options->relation, "id or text of a relation, in any case")->required();
  command->add_option("--tail", options->tail, "id or name of an entity");
  command->add_option("--top", options->top, "how many answers")->check(CLI::Range(1, 1 << 30))->capture_default_str();
  command
      ->add_option("--reasons", options->reasons,
                   "also so many rules that give each answer, from a run of model.type rules or a fusion with one")
      ->check(CLI::Range(1, 1 << 30))
      ->excludes(json);
  command->add_option("--graph", options->graph, "the run's graph, where it has been moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] { predict(*options); });
}

}  // namespace hasa
