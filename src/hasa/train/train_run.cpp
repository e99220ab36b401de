#include "hasa/train/train_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/model/language_model.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

/// "epochs: 10" of the one against the other's, for a message; "" when they are equal.
std::string first_difference(const std::string& stored, const std::string& wanted) {
  std::istringstream a(stored), b(wanted);
  std::string x, y;
  const auto trimmed = [](const std::string& line) {
    return line.substr(std::min(line.size(), line.find_first_not_of(' ')));
  };
  while (std::getline(a, x) && std::getline(b, y)) {
    if (x != y) return fmt::format("\"{}\" there, \"{}\" now", trimmed(x), trimmed(y));
  }
  return "";
}

/// The config of a run. Where the graph and the language model lie, and which device is used, may differ from
/// place to place: those are `config`'s.
TrainConfig config_of(const Run& run, const TrainConfig& config) {
  TrainConfig stored;
  apply_yaml(fields_of(stored), run.config_yaml(), (run / "config.yaml").string());
  stored.graph = config.graph;
  stored.device = config.device;
  stored.language_model.path = config.language_model.path;
  return stored;
}

TrainedOutcome train_in(const Run& run, const TrainConfig& config, const Graph& graph, const TextEmbeddings& texts) {
  const torch::Device device = parse_device(config.device);
  Trainer trainer(config, graph, texts, run);
  log_info("training on {}: {} entities, {} training triples, batches of {}", device_name(device),
           format_count(static_cast<std::uint64_t>(graph.entities())), format_count(graph.triples(Split::train).size()),
           config.train.batch);
  const TrainEnd end = trainer.train();
  return {end, trainer.state()};
}

TextEmbeddings read_texts(const TrainConfig& config, const Graph& graph) {
  return embed_texts(graph, config.graph, config.text, config.language_model, parse_device(config.device));
}

TrainedOutcome start(TrainConfig config, const Graph& graph, const std::filesystem::path& out) {
  Run::check_free(out);
  config.language_model.path = find_language_model(config.language_model.path).string();
  // Whatever is wrong with the options or the model shows before there is a folder.
  const TextEmbeddings texts = read_texts(config, graph);
  const Run run = Run::create(out, to_yaml(fields_of(config)), graph);
  const RunLock lock(run);
  texts.save(run / Run::kTexts);
  return train_in(run, config, graph, texts);
}

TrainedOutcome go_on(const TrainConfig& config, const Graph& graph, const std::filesystem::path& out) {
  const Run run = Run::open(out);
  const RunLock lock(run);
  const std::string difference = training_difference(run, config);
  HASA_CHECK(difference.empty(), config,
             "{} was started with another config: {}\nuse its config.yaml, or choose another --out", out.string(),
             difference);
  run.check_graph(graph);
  if (!std::filesystem::exists(run / Run::kTexts)) read_texts(config, graph).save(run / Run::kTexts);
  return train_in(run, config, graph, run_texts(run));
}

}  // namespace

std::string training_difference(const Run& run, const TrainConfig& config) {
  TrainConfig wanted = config, stored = config_of(run, config);
  return first_difference(to_yaml(fields_of(stored)), to_yaml(fields_of(wanted)));
}

TrainedOutcome train_run(TrainConfig config, const std::filesystem::path& out, bool resume) {
  HASA_CHECK(!config.graph.empty(), config, "option graph is not set: give the folder that hasa import wrote");
  // Relative paths would mean something else from another folder.
  config.graph = std::filesystem::absolute(config.graph).lexically_normal().string();
  parse_device(config.device);
  const Graph graph = Graph::open(config.graph);
  HASA_CHECK(!graph.triples(Split::train).empty(), data, "{} has no training triples", config.graph);
  if (resume && Run::is_run(out)) return go_on(config, graph, out);
  if (resume) log_info("there is nothing to resume in {}; starting anew", out.string());
  return start(std::move(config), graph, out);
}

}  // namespace hasa
