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
#include "hasa/serve/lookup.h"
#include "hasa/serve/predictor.h"
#include "hasa/serve/queries_file.h"
#include "output.h"

namespace hasa {
namespace {

struct PredictArguments {
  std::string run, head, relation, tail, head_text, tail_text, queries, out, graph, device;
  std::int64_t top = 10, reasons = 0;
  bool json = false, new_only = false;
};

/// The rules of a run, or of a fusion with such a part; null if there are none.
const RuleBook* rules_of(const Scorer& scorer) {
  if (const auto* rules = dynamic_cast<const RulesScorer*>(&scorer)) return &rules->book();
  const auto* fusion = dynamic_cast<const FusionScorer*>(&scorer);
  for (std::size_t p = 0; fusion != nullptr && p < fusion->features().num_parts(); ++p) {
    if (const RuleBook* rules = rules_of(fusion->features().part(p))) return rules;
  }
  return nullptr;
}

/// A command's run, and the state of its graph throughout the command.
struct AskedRun {
  const PredictArguments& options;
  std::unique_ptr<ServedRun> run = ServedRun::open(options.run, {.graph = options.graph, .device = options.device});
  std::shared_ptr<const LiveState> state = run->state();
  Predictor predictor{*run};
  const std::string& score = run->facts().score;

  EntityId entity(const std::string& id_or_name) const { return run->lookup().entity(*state, id_or_name); }
  Given given(const std::string& id_or_name, const std::string& text) const {
    if (!id_or_name.empty()) return entity(id_or_name);
    return UnseenEntity::of_text(text);
  }
  template <class... What>
  void print_either(const What&... what) const {
    print(options.json ? to_json(*state, what..., score) + "\n" : to_table(*state, what..., score));
  }
};

/// The best rules that predict each answer.
std::string reasons(const LiveState& state, const Question& question, std::span<const Answer> answers,
                    const RuleBook& rules, std::int64_t most) {
  std::string text;
  for (const Answer& answer : answers) {
    text += fmt::format("\n{}\n", shown(state.entity_name(answer.entity)));
    auto firings = rules.firings({std::get<EntityId>(question.given), question.relation}, answer.entity);
    firings.resize(std::min<std::size_t>(firings.size(), static_cast<std::size_t>(most)));
    if (firings.empty()) text += "  no rule predicts it\n";
    for (const Firing& firing : firings) text += fmt::format("  {}\n", to_words(firing, state.graph()));
  }
  return text;
}

void print_answers(const AskedRun& asked, bool asks_tail, const RuleBook* rules) {
  const PredictArguments& options = asked.options;
  const Graph& graph = asked.run->graph();
  RelationId relation = find_relation(graph, options.relation);
  if (!asks_tail) relation = inverse(relation, graph.relations());
  const Question question{
      asks_tail ? asked.given(options.head, options.head_text) : asked.given(options.tail, options.tail_text),
      relation,
      {.top = options.top, .new_only = options.new_only}};
  const auto answers = asked.predictor.answers(*asked.state, {&question, 1}).front();
  asked.print_either(question, std::span<const Answer>(answers));
  if (options.reasons > 0) print(reasons(*asked.state, question, answers, *rules, options.reasons));
}

void print_relations(const AskedRun& asked) {
  const PredictArguments& options = asked.options;
  const RelationQuestion question{asked.given(options.head, options.head_text),
                                  asked.given(options.tail, options.tail_text), options.top, options.new_only};
  const auto answers = asked.predictor.relations(*asked.state, {&question, 1}).front();
  asked.print_either(question, std::span<const RelationAnswer>(answers));
}

/// For a complete triple: its rank, or its score if one of its entities is only a text.
void print_triple(const AskedRun& asked) {
  const PredictArguments& options = asked.options;
  const RelationId relations = asked.run->graph().relations();
  RelationId relation = find_relation(asked.run->graph(), options.relation);
  Given head = asked.given(options.head, options.head_text), tail = asked.given(options.tail, options.tail_text);
  if (relation >= relations) {  // "reverse of ..."
    relation = inverse(relation, relations);
    std::swap(head, tail);
  }
  const auto *h = std::get_if<EntityId>(&head), *t = std::get_if<EntityId>(&tail);
  if (h == nullptr || t == nullptr) {
    const Statement statement{head, relation, tail};
    return asked.print_either(statement, asked.predictor.judgements(*asked.state, {&statement, 1}).front());
  }
  asked.print_either(TripleStanding{{*h, relation, *t},
                                    asked.predictor.standing(*asked.state, *h, relation, *t),
                                    asked.predictor.standing(*asked.state, *t, inverse(relation, relations), *h)});
}

void answer_file(const PredictArguments& options) {
  HASA_CHECK(!options.out.empty(), config, "--queries needs --out: a file ending in .tsv or .jsonl");
  const AnswersForm form = answers_form(options.out);
  const AskedRun asked{options};
  const std::vector<FileQuestion> questions = read_questions(*asked.run, *asked.state, options.queries);
  answer_questions(asked.predictor, *asked.state, questions,
                   {.form = form, .top = options.top, .new_only = options.new_only}, options.out);
}

void check_arguments(const PredictArguments& options) {
  HASA_CHECK(
      options.head.empty() || options.head_text.empty(), config,
      "--head names an entity of the graph and --head-text describes one that is not in it; give only one of them");
  HASA_CHECK(
      options.tail.empty() || options.tail_text.empty(), config,
      "--tail names an entity of the graph and --tail-text describes one that is not in it; give only one of them");
  const bool has_head = !options.head.empty() || !options.head_text.empty();
  const bool has_tail = !options.tail.empty() || !options.tail_text.empty();
  HASA_CHECK(options.queries.empty() || (!has_head && !has_tail && options.relation.empty()), config,
             "--queries names a file of questions; it can only be combined with --out, --top and --new-only");
  HASA_CHECK(options.out.empty() || !options.queries.empty(), config, "--out is for the answers to --queries");
  if (!options.queries.empty()) return;
  HASA_CHECK(!options.relation.empty() && (has_head || has_tail), config,
             "give --head and --relation to ask for the tail, --relation and --tail to ask for the head, or all three "
             "to score the triple; --relation ? asks for the relation between two entities");
  HASA_CHECK(options.reasons == 0 || (options.head_text.empty() && options.tail_text.empty()), config,
             "--reasons: rules apply to entities of the graph, not to texts");
  HASA_CHECK(options.relation != "?" || (has_head && has_tail), config,
             "--relation ? asks for the relation between two entities: give --head and --tail");
}

void predict(const PredictArguments& options) {
  check_arguments(options);
  if (!options.queries.empty()) return answer_file(options);
  const AskedRun asked{options};
  const RuleBook* rules = rules_of(asked.run->scorer());
  HASA_CHECK(options.reasons == 0 || rules != nullptr, config,
             "--reasons: {} has no rules\nuse a run of model.type rules, or a fusion with such a part", options.run);
  const bool has_head = !options.head.empty() || !options.head_text.empty();
  const bool has_tail = !options.tail.empty() || !options.tail_text.empty();
  if (options.relation == "?") return print_relations(asked);
  if (has_head && has_tail) return print_triple(asked);
  print_answers(asked, /*asks_tail=*/has_head, rules);
}

}  // namespace

void add_predict(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "predict", "predict (head, relation, ?), (?, relation, tail) or (head, ?, tail), or score a triple");
  const auto options = std::make_shared<PredictArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  CLI::Option* json = command->add_flag("--json", options->json, "one JSON document");
  command->add_option("--head", options->head, "id or name of an entity; together with --tail the triple is scored");
  command->add_option("--relation", options->relation,
                      "id or text of a relation, ignoring case; ? predicts the relation between --head and --tail");
  command->add_option("--tail", options->tail, "id or name of an entity");
  command->add_option("--head-text", options->head_text,
                      "instead of --head: the text of an entity that is not in the graph, \"name: description\"");
  command->add_option("--tail-text", options->tail_text, "instead of --tail: the same");
  command->add_option(
      "--queries", options->queries,
      "a file of questions, one per line: head, relation and tail separated by tabs, with ? for the one to predict");
  command->add_option("--out", options->out, "file for the answers to --queries, .tsv or .jsonl");
  command->add_option("--top", options->top, "number of answers")->check(CLI::Range(1, 1 << 30))->capture_default_str();
  command->add_flag("--new-only", options->new_only, "leave out known links");
  command
      ->add_option(
          "--reasons", options->reasons,
          "also show this many rules that predict each answer, from a run of model.type rules or a fusion with one")
      ->check(CLI::Range(1, 1 << 30))
      ->excludes(json);
  command->add_option("--graph", options->graph, "the run's graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] { predict(*options); });
}

}  // namespace hasa
