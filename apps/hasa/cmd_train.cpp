#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/job/train_run.h"
#include "output.h"
#include "train_options.h"

namespace hasa {
namespace {

struct TrainArguments {
  TrainOptions train;
  std::string out;
  bool resume = false;
  std::string resumed;  // the folder after --resume, if any
};

/// The folder of the run: after --resume, after --out, or after both if it is the same.
std::string folder_of(const TrainArguments& options) {
  HASA_CHECK(!options.out.empty() || !options.resumed.empty(), config, "{}",
             options.resume ? "--resume is missing a folder\ngive the run's: --resume RUN"
                            : "--out is missing: give the folder of the run");
  HASA_CHECK(options.out.empty() || options.resumed.empty() || options.out == options.resumed, config,
             "--resume {} and --out {} name two runs\na run is resumed in its own folder: omit --out", options.resumed,
             options.out);
  return options.out.empty() ? options.resumed : options.out;
}

void train(const TrainArguments& options) {
  const std::string out = folder_of(options);
  const bool is_there = Run::is_run(out);
  // A folder after --resume must exist; one after --out may not exist yet, so that a script can be repeated.
  if (!options.resumed.empty() && !is_there) Run::open(out);
  if (options.resume && !is_there) log_info("there is nothing to resume in {}; starting anew", out);
  const bool of_run = options.resume && is_there;
  const RunConfig config =
      options.train.read(of_run ? (std::filesystem::path(out) / "config.yaml").string() : std::string());
  const TrainedOutcome outcome = train_run(config, out, options.resume);
  if (outcome.end == TrainEnd::interrupted) {
    fail(ErrorKind::unavailable,
         "interrupted by a signal; {} has everything up to here\nresume with hasa train --resume {}", out, out);
  }
  if (outcome.end == TrainEnd::early) log_info("stopped early: no better validation MRR for a while");
  if (outcome.state.best_mrr >= 0) {
    print(fmt::format("best validation MRR {} after epoch {}\n", format_share(outcome.state.best_mrr),
                      outcome.state.best_epoch));
  }
  print(fmt::format("the run is in {}; next: hasa eval {}\n", out, out));
}

}  // namespace

void add_train(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "train a model on a graph");
  const auto options = std::make_shared<TrainArguments>();
  options->train.add_to(*command, /*needs_config=*/false);
  command->add_option("--out", options->out, "folder of the run");
  command
      ->add_option("--resume", options->resumed,
                   "resume this run, or the one in --out; its own config is used unless another is given, and --set "
                   "train.epochs=N adds epochs")
      ->expected(0, 1);
  command->callback([options, command] {
    options->resume = command->count("--resume") > 0;
    train(*options);
  });
}

}  // namespace hasa
