#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/log.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "output.h"

namespace hasa {
namespace {

struct FuseArguments {
  std::vector<std::string> runs, assignments;
  std::string out, graph, device;
};

RunConfig config_of(const FuseArguments& options) {
  RunConfig config;
  config.family.emplace<FusionFamily>().model.parts = options.runs;
  config.graph = options.graph.empty() ? config_of(Run::open(options.runs.front())).graph : options.graph;
  if (!options.device.empty()) config.device = options.device;
  for (const std::string& assignment : options.assignments) apply_assignment(fields_of(config), assignment);
  return config;
}

void fuse(const FuseArguments& options) {
  const TrainedOutcome outcome = train_run(config_of(options), options.out, /*resume=*/false);
  print(fmt::format("cross-fitted validation MRR {}\nthe run is in {}; next: hasa eval {} --breakdown\n",
                    format_share(outcome.state.best_mrr), options.out, options.out));
}

}  // namespace

void add_fuse(CLI::App& program) {
  CLI::App* command = program.add_subcommand("fuse", "combine runs, with weights fitted on the validation split");
  const auto options = std::make_shared<FuseArguments>();
  command->add_option("runs", options->runs, "run folders written by hasa train, all on the same graph")->required();
  command->add_option("--out", options->out, "run folder to write")->required();
  command->add_option("--graph", options->graph, "the graph, if it has moved; the default is the first run's");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N");
  command->add_option("--set", options->assignments, "an option of model.type fusion, such as model.frequency=no")
      ->allow_extra_args(false);
  command->callback([options] { fuse(*options); });
}

}  // namespace hasa
