#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "hasa/base/version.h"
#include "hasa/job/part_timing.h"
#include "hasa/job/resolve_schedule.h"
#include "hasa/job/step_timing.h"
#include "hasa/ops/core/device.h"
#include "output.h"
#include "train_options.h"

namespace hasa {
namespace {

struct BenchArguments {
  TrainOptions train;
  std::int64_t steps = 30;
  bool profile = false;
  bool steps_alone = false;
  bool json = false;
};

void bench(const BenchArguments& options) {
  RunConfig config = options.train.read();
  check_options(config, parse_device(config.device));
  const Graph graph = Graph::open(config.graph);
  resolve_schedule(config, graph);
  const StepTiming result = time_steps(config, graph, options.steps, options.profile);
  const std::vector<PartTiming> parts = options.steps_alone ? std::vector<PartTiming>{} : time_parts(config, graph);
  const std::string machine = device_name(parse_device(config.device));
  if (!options.json) {
    print(fmt::format("{}, {}, hasa {} ({})\n\n{}\n{}", options.train.config, machine, version(), commit(),
                      result.to_table(), to_table(parts)));
    return;
  }
  nlohmann::ordered_json json{
      {"config", options.train.config}, {"machine", machine}, {"hasa", version()}, {"commit", commit()}};
  json.update(result.to_json());
  for (const PartTiming& part : parts) {
    json["parts_beside"].push_back(
        {{"name", part.name}, {"what", part.what}, {"milliseconds", part.milliseconds}, {"rate", part.rate}});
  }
  print(json.dump(2) + "\n");
}

}  // namespace

void add_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "bench", "benchmark a config's training steps, encoding, mining and ranking on this machine");
  const auto options = std::make_shared<BenchArguments>();
  options->train.add_to(*command);
  command->add_option("--steps", options->steps, "number of steps to measure")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_flag("--profile", options->profile, "also profile a step's kernels, on a GPU");
  command->add_flag("--steps-alone", options->steps_alone, "skip encoding, mining, ranking, tokenising and opening");
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] { bench(*options); });
}

}  // namespace hasa
