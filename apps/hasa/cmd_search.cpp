#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/job/search.h"
#include "output.h"

namespace hasa {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> assignments;
  std::string out;
  SearchOptions search;
};

void search_config(const Options& options) {
  const SearchSpace space = SearchSpace::parse(read_file(options.config), options.config);
  RunConfig config;
  space.apply_fixed(fields_of(config));
  for (const std::string& assignment : options.assignments) apply_assignment(fields_of(config), assignment);
  const SearchOutcome outcome = search(config, space, options.search, options.out);
  if (outcome.stopped) {
    fail(ErrorKind::unavailable, "interrupted by a signal; {} has everything up to here\ngo on with the same command",
         options.out);
  }
  print(to_table(outcome.trials));
  print(fmt::format("the best options are in {}/best.yaml, its run in {}/{}\n", options.out, options.out,
                    outcome.trials.front().name()));
}

}  // namespace

void add_search(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("search", "tune options: random search or successive halving by validation MRR");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("--config", options->config,
                   "YAML file of options; {range: [a, b]}, {log_range: [a, b]} or {choices: [a, b, c]} in place of a "
                   "value marks an option to tune")
      ->required();
  command->add_option("--set", options->assignments, "override an option of the file; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", options->out, "folder of the search; an existing search there is resumed")->required();
  command->add_option("--trials", options->search.trials, "number of trials")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--halving", options->search.halving,
                   "successive halving: train all for part of the epochs, one in this many for longer, and so on; 0: "
                   "all for all epochs")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--least-epochs", options->search.least_epochs, "epochs of the shortest runs with --halving")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->search.seed, "of the draws")->capture_default_str();
  command->callback([options] { search_config(*options); });
}

}  // namespace hasa
