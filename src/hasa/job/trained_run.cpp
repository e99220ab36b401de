#include "hasa/job/trained_run.h"

#include <filesystem>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

void check_has_model(const Run& run) {
  HASA_CHECK(run.has_model(), data,
             "{} has no model yet\nresume it with hasa train --resume, at least to the end of an epoch",
             run.folder().string());
}

}  // namespace

std::unique_ptr<Scorer> open_scorer_of(const Run& run, const Graph& graph, const fs::path& graph_folder,
                                       const torch::Device& device) {
  check_has_model(run);
  run.check_graph(graph);
  const OpenContext context{.run = run,
                            .graph = graph,
                            .graph_folder = graph_folder,
                            .device = device,
                            .open_run = [&graph, graph_folder, device](const fs::path& other) {
                              return open_scorer_of(Run::open(other), graph, graph_folder, device);
                            }};
  return std::visit([&](const auto& family) { return open_scorer(family, context); }, config_of(run).family);
}

std::unique_ptr<TextReader> open_text_reader_of(const Run& run, const Graph& graph, const fs::path& graph_folder,
                                                const Scorer& scorer) {
  const OpenContext context{.run = run, .graph = graph, .graph_folder = graph_folder, .device = scorer.device()};
  return std::visit([&](const auto& family) { return open_text_reader(family, context, scorer); },
                    config_of(run).family);
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

TrainedRun open_trained(const Run& run, const std::string& graph_folder, const std::string& device_name) {
  check_has_model(run);
  const RunConfig config = config_of(run);
  const std::string place = graph_folder.empty() ? config.graph : graph_folder;
  std::error_code ignored;
  HASA_CHECK(fs::exists(place, ignored), data, "the graph of {} is not at \"{}\"\ngive its folder with --graph",
             run.folder().string(), place);
  auto graph = std::make_unique<Graph>(Graph::open(place));
  const torch::Device device = parse_device(device_name.empty() ? config.device : device_name);
  auto scorer = open_scorer_of(run, *graph, place, device);
  return {std::move(graph), std::move(scorer)};
}

}  // namespace hasa
