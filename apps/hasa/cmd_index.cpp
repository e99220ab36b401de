#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/job/trained_run.h"
#include "hasa/serve/index_trial.h"
#include "output.h"

namespace hasa {
namespace {

struct IndexArguments {
  std::string run, out, graph, device;
  IndexTrialOptions trials;
  bool no_hnsw = false, json = false;
};

void build_indexes(const IndexArguments& options) {
  const Run run = Run::open(options.run);
  const TrainedRun trained = open_trained(run, options.graph, options.device);
  const auto* scorer = dynamic_cast<const VectorScorer*>(trained.scorer.get());
  HASA_CHECK(scorer != nullptr, config,
             "{} has no vector for each entity: its model scores question and entity together, and there is nothing to "
             "index",
             options.run);
  IndexTrialOptions wanted = options.trials;
  wanted.hnsw = !options.no_hnsw;
  std::filesystem::create_directories(options.out);
  const auto trials = try_indexes(*scorer, *trained.graph, options.out, wanted);
  print(options.json ? to_json(trials) + "\n"
                     : fmt::format("the ten best of {} entities, {} numbers each\n\n{}", scorer->num_entities(),
                                   scorer->entities().size(1), to_table(trials)));
}

}  // namespace

void add_index(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("index", "build indexes of a run's entities, and measure how well and fast they find");
  const auto options = std::make_shared<IndexArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command->add_option("--out", options->out, "folder for the indexes; files of the same names are replaced")
      ->required();
  command->add_option("--queries", options->trials.queries, "how many questions to ask, of the test split")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--recall", options->trials.wanted_recall, "share of the ten best that an index is set to find")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_flag("--no-hnsw", options->no_hnsw, "leave out the kind that takes longest to build");
  command->add_flag("--json", options->json, "one JSON document");
  command->add_option("--graph", options->graph, "the run's graph, where it has been moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] { build_indexes(*options); });
}

}  // namespace hasa
