#include <memory>
#include <string>
#include <utility>

#include "answers.h"
#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/run/run.h"
#include "hasa/serve/lookup.h"
#include "output.h"

namespace hasa {
namespace {

struct PredictArguments {
  std::string run, head, relation, tail, graph, device;
  std::int64_t top = 10;
  bool json = false;
};

void predict(const PredictArguments& options) {
  HASA_CHECK(options.head.empty() != options.tail.empty(), config,
             "give --head and --relation to ask for the tail, or --relation and --tail to ask for the head");
  const Run run = Run::open(options.run);
  TrainedRun trained = open_trained(run, options.graph, options.device);
  const bool asks_tail = options.tail.empty();
  RelationId relation = find_relation(trained.graph, options.relation);
  if (!asks_tail) relation = inverse(relation, trained.graph.relations());
  const Question question{find_entity(trained.graph, asks_tail ? options.head : options.tail), relation};
  const Predictor predictor(trained.graph, std::move(trained.scorer));
  const auto answers = predictor.answers(question.entity, question.relation, options.top);
  print(options.json ? to_json(trained.graph, question, answers) + "\n" : to_table(trained.graph, question, answers));
}

}  // namespace

void add_predict(CLI::App& program) {
  CLI::App* command = program.add_subcommand("predict", "answer (head, relation, ?) or (?, relation, tail)");
  const auto options = std::make_shared<PredictArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command->add_option("--head", options->head, "id or name of an entity");
  command->add_option("--relation", options->relation, "id or text of a relation")->required();
  command->add_option("--tail", options->tail, "id or name of an entity");
  command->add_option("--top", options->top, "how many answers")->check(CLI::Range(1, 1 << 30))->capture_default_str();
  command->add_option("--graph", options->graph, "the run's graph, where it has been moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] { predict(*options); });
}

}  // namespace hasa
