#include "hasa/train/train_run.h"

#include <fmt/format.h>

#include <sstream>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

/// Relative paths would mean something else from another folder.
void make_paths_absolute(TrainConfig& config) {
  HASA_CHECK(!config.graph.empty(), config, "option graph is not set: give the folder that hasa import wrote");
  config.graph = std::filesystem::absolute(config.graph).lexically_normal().string();
  config.language_model.path = find_language_model(config.language_model.path).string();
}

std::string without_indent(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

/// "epochs: 10" of the one against the other's, for a message.
std::string first_difference(const std::string& stored, const std::string& wanted) {
  std::istringstream a(stored), b(wanted);
  std::string x, y;
  while (std::getline(a, x) && std::getline(b, y)) {
    if (x != y) return fmt::format("\"{}\" there, \"{}\" now", without_indent(x), without_indent(y));
  }
  return "options were added or removed";
}

}  // namespace

TrainedOutcome train_run(TrainConfig config, const std::filesystem::path& out, bool resume) {
  make_paths_absolute(config);
  const torch::Device device = parse_device(config.device);
  const Graph graph = Graph::open(config.graph);
  HASA_CHECK(!graph.triples(Split::train).empty(), data, "{} has no training triples", config.graph);
  const std::string yaml = to_yaml(fields_of(config));
  const bool continues = resume && Run::is_run(out);
  const Run run = continues ? Run::open(out) : Run::create(out, yaml, graph);
  if (continues) {
    HASA_CHECK(run.config_yaml() == yaml, config, "{} was started with another config: {}\nuse its config.yaml, or choose another --out",
               out.string(), first_difference(run.config_yaml(), yaml));
    run.check_graph(graph);
  }
  const TextEmbeddings texts = run_texts(run, graph, device);
  Trainer trainer(config, graph, texts, run);
  log_info("training on {}: {} entities, {} training triples, batches of {}", device_name(device),
           format_count(static_cast<std::uint64_t>(graph.entities())), format_count(graph.triples(Split::train).size()),
           config.train.batch);
  const TrainEnd end = trainer.train();
  return {end, trainer.state()};
}

}  // namespace hasa
