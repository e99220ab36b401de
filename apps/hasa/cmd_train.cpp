#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/train/train_run.h"
#include "output.h"

namespace hasa {
namespace {

struct Options {
  std::string config, out;
  std::vector<std::string> assignments;
  bool resume = false;
};

TrainConfig read_config(const Options& options) {
  TrainConfig config;
  apply_yaml(fields_of(config), read_file(options.config), options.config);
  for (const std::string& assignment : options.assignments) apply_assignment(fields_of(config), assignment);
  return config;
}

void train(const Options& options) {
  const TrainedOutcome outcome = train_run(read_config(options), options.out, options.resume);
  if (outcome.end == TrainEnd::interrupted) {
    fail(ErrorKind::unavailable, "stopped by a signal; {} keeps everything up to here\ngo on with --resume",
         options.out);
  }
  if (outcome.end == TrainEnd::early) log_info("stopped early: no better validation MRR for a while");
  if (outcome.state.best_mrr >= 0) {
    print(fmt::format("best validation MRR {} after epoch {}\n", format_share(outcome.state.best_mrr),
                      outcome.state.best_epoch));
  }
  print(fmt::format("the run is in {}; next: hasa eval {}\n", options.out, options.out));
}

}  // namespace

void add_train(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "train a model on a graph");
  const auto options = std::make_shared<Options>();
  command->add_option("--config", options->config, "YAML file of options")->required();
  command
      ->add_option("--set", options->assignments, "an option over the file's, such as train.epochs=3; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", options->out, "folder of the run")->required();
  command->add_flag("--resume", options->resume, "continue the run in --out");
  command->footer([] {
    TrainConfig defaults;
    return "Options of the config file, with their defaults:\n" + to_help(fields_of(defaults));
  });
  command->callback([options] { train(*options); });
}

}  // namespace hasa
