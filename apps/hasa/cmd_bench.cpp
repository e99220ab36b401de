#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "hasa/base/version.h"
#include "hasa/ops/device.h"
#include "hasa/train/step_timing.h"
#include "output.h"
#include "train_options.h"

namespace hasa {
namespace {

struct BenchArguments {
  TrainOptions train;
  std::int64_t steps = 30;
  bool profile = false;
  bool json = false;
};

void bench(const BenchArguments& options) {
  const TrainConfig config = options.train.read();
  const Graph graph = Graph::open(config.graph);
  const StepTiming result = time_steps(config, graph, options.steps, options.profile);
  const std::string machine = device_name(parse_device(config.device));
  if (!options.json) {
    print(fmt::format("{}, {}, hasa {} ({})\n\n{}", options.train.config, machine, version(), commit(),
                      result.to_table()));
    return;
  }
  nlohmann::ordered_json json{
      {"config", options.train.config}, {"machine", machine}, {"hasa", version()}, {"commit", commit()}};
  json.update(nlohmann::ordered_json::parse(result.to_json()));
  print(json.dump(2) + "\n");
}

}  // namespace

void add_bench(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("bench", "measure the training steps of a config: speed, and where the time goes");
  const auto options = std::make_shared<BenchArguments>();
  options->train.add_to(*command);
  command->add_option("--steps", options->steps, "how many to measure")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_flag("--profile", options->profile, "also the kernels of a step, on a GPU");
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] { bench(*options); });
}

}  // namespace hasa
