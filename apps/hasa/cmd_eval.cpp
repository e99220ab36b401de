#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/ranking.h"
#include "hasa/run/run.h"
#include "output.h"

namespace hasa {
namespace {

struct Options {
  std::string run, split = "test", graph, device;
  bool json = false;
};

void evaluate(const Options& options) {
  const Run run = Run::open(options.run);
  const TrainedRun trained = open_trained(run, options.graph, options.device);
  const Split split = options.split == "valid" ? Split::valid : Split::test;
  HASA_CHECK(!trained.graph.triples(split).empty(), data, "the {} split of the run's graph has no triples to rank",
             options.split);
  const auto ranked = rank_split(*trained.model.scorer(), trained.graph, KnownAnswers::of_all_splits(trained.graph),
                                 split, {.show_progress = true});
  const Scores scores = scores_of(ranked, trained.graph.relations());
  if (!options.json) {
    print(
        fmt::format("{} split of {}: every triple asked from both ends, among all {} entities, known answers of all "
                    "splits left out, ties at their mean rank\n\n{}",
                    options.split, options.run, trained.graph.entities(), to_table(scores)));
    return;
  }
  nlohmann::ordered_json json{
      {"run", options.run},
      {"split", options.split},
      {"protocol", {{"candidates", trained.graph.entities()}, {"filtered", true}, {"ties", "realistic"}}}};
  json.update(nlohmann::ordered_json::parse(to_json(scores)));
  print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace

void add_eval(CLI::App& program) {
  CLI::App* command = program.add_subcommand("eval", "rank the held-out triples of a run: MRR, hits, mean rank");
  const auto options = std::make_shared<Options>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command->add_option("--split", options->split, "which triples")
      ->check(CLI::IsMember({"valid", "test"}))
      ->capture_default_str();
  command->add_option("--graph", options->graph, "the run's graph, where it has been moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] { evaluate(*options); });
}

}  // namespace hasa
