#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/log.h"
#include "hasa/train/train_run.h"
#include "output.h"
#include "train_options.h"

namespace hasa {
namespace {

struct TrainArguments {
  TrainOptions train;
  std::string out;
  bool resume = false;
};

void train(const TrainArguments& options) {
  if (options.resume && !Run::is_run(options.out))
    log_info("there is nothing to resume in {}; starting anew", options.out);
  const TrainedOutcome outcome = train_run(options.train.read(), options.out, options.resume);
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
  const auto options = std::make_shared<TrainArguments>();
  options->train.add_to(*command);
  command->add_option("--out", options->out, "folder of the run")->required();
  command->add_flag("--resume", options->resume, "continue the run in --out");
  command->callback([options] { train(*options); });
}

}  // namespace hasa
