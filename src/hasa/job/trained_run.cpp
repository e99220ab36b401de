#include "hasa/job/trained_run.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <filesystem>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/job/grown_run.h"
#include "hasa/ops/core/device.h"
#include "hasa/train/generator_states.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// While it lives, torch's generators begin from the seed; then they are as before.
class SeededFrom {
 public:
  SeededFrom(std::uint64_t seed, const torch::Device& device) : before_(GeneratorStates::of(device)) {
    at::manual_seed(seed);
  }
  ~SeededFrom() { before_.restore(); }
  SeededFrom(const SeededFrom&) = delete;
  SeededFrom& operator=(const SeededFrom&) = delete;

 private:
  GeneratorStates before_;
};

void tell_of_growth(const Run& run, const Graph& graph) {
  if (has_grown(graph, run)) log_info("{} was trained on {}", run.folder().string(), trained_on(run, graph));
}

void check_has_model(const Run& run) {
  HASA_CHECK(run.has_model(), data,
             "{} has no model yet\nresume it with hasa train --resume, at least to the end of an epoch",
             run.folder().string());
}

}  // namespace

std::unique_ptr<Scorer> open_scorer_of(const Run& run, const Graph& graph, const fs::path& graph_folder,
                                       const torch::Device& device, Comm& comm) {
  check_has_model(run);
  run.check_graph(graph);
  const OpenContext context{.run = run,
                            .graph = graph,
                            .graph_folder = graph_folder,
                            .device = device,
                            .comm = comm,
                            .open_run = [&graph, graph_folder, device](const fs::path& other) {
                              return open_scorer_of(Run::open(other), graph, graph_folder, device);
                            }};
  const RunConfig config = config_of(run);
  const SeededFrom seeded(config.seed, device);  // rows of what came since are drawn as training draws them
  return std::visit([&](const auto& family) { return open_scorer(family, context); }, config.family);
}

std::unique_ptr<TextReader> open_text_reader_of(const Run& run, const Graph& graph, const fs::path& graph_folder,
                                                const Scorer& scorer) {
  const OpenContext context{.run = run, .graph = graph, .graph_folder = graph_folder, .device = scorer.device()};
  return std::visit([&](const auto& family) { return open_text_reader(family, context, scorer); },
                    config_of(run).family);
}

torch::Device device_for(const std::string& name, const Comm& comm) {
  const torch::Device device = parse_device(name);
  const bool any_gpu = device.is_cuda() && name.find(':') == std::string::npos;
  return comm.alone() || !any_gpu ? device : parse_device(fmt::format("cuda:{}", comm.local_rank()));
}

RunConfig config_of(const Run& run) {
  RunConfig config;
  // Runs of format 2 have the options of every family in the file.
  apply_yaml(fields_of(config), run.config_yaml(), (run / Run::kConfig).string(), UnknownOptions::pass_over);
  return config;
}

std::int64_t opening_bytes(const Run& run, const RunConfig& config, const Graph& graph) {
  return std::visit([&](const auto& family) { return opening_bytes(family, run, graph); }, config.family);
}

TrainedRun open_trained(const Run& run, const std::string& graph_folder, const std::string& device_name, Comm& comm) {
  check_has_model(run);
  const RunConfig config = config_of(run);
  const std::string place = graph_folder.empty() ? config.graph : graph_folder;
  std::error_code ignored;
  HASA_CHECK(fs::exists(place, ignored), data, "the graph of {} is not at \"{}\"\ngive its folder with --graph",
             run.folder().string(), place);
  auto graph = std::make_unique<Graph>(Graph::open(place));
  const torch::Device device = device_for(device_name.empty() ? config.device : device_name, comm);
  tell_of_growth(run, *graph);
  auto scorer = open_scorer_of(run, *graph, place, device, comm);
  return {std::move(graph), std::move(scorer)};
}

}  // namespace hasa
