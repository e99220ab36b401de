#include "hasa/train/train_run.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/model/language_model.h"
#include "hasa/ops/device.h"
#include "hasa/train/check_options.h"
#include "hasa/train/frozen_learner.h"
#include "hasa/train/make_learner.h"

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

/// The config of a run. Where the graph and the language model lie, which device is used and how much of its
/// memory, may differ from place to place: those are `config`'s.
TrainConfig config_of(const Run& run, const TrainConfig& config) {
  TrainConfig stored;
  apply_yaml(fields_of(stored), run.config_yaml(), (run / "config.yaml").string());
  stored.graph = config.graph;
  stored.device = config.device;
  stored.language_model.path = config.language_model.path;
  stored.memory_limit = config.memory_limit;
  return stored;
}

/// What the folder of the best model needs beside the weights in order to be opened.
void copy_tokenizer(const LanguageModel& from, const Run& run) {
  for (const char* name : {"vocab.txt", "tokenizer_config.json", "special_tokens_map.json", "tokenizer.json"}) {
    const std::filesystem::path file = from.folder / name;
    if (std::filesystem::exists(file)) write_file(run / Run::kBestFolder / name, read_file(file));
  }
}

TrainedOutcome train_in(const Run& run, const TrainConfig& config, const Graph& graph, Learner& learner,
                        const torch::Device& device) {
  Trainer trainer(config, graph, learner, run);
  log_info("training on {}: {} entities, {} training triples, batches of {}", device_name(device),
           format_count(static_cast<std::uint64_t>(graph.entities())), format_count(graph.triples(Split::train).size()),
           config.train.batch);
  try {
    const TrainEnd end = trainer.train();
    return {end, trainer.state()};
  } catch (const Error& error) {
    const bool kept = std::filesystem::exists(run / Run::kLast) || std::filesystem::exists(run / Run::kPrevious);
    if (error.kind() != ErrorKind::io || !kept) throw;
    fail(ErrorKind::io, "{}\nthe last checkpoint is kept: once there is room, go on with --resume", error.what());
  }
}

/// A run that this process writes to.
struct Started {
  Run run;
  std::unique_ptr<RunLock> lock;
};

Started start_or_open(const TrainConfig& config, const Graph& graph, const std::filesystem::path& out, bool resume) {
  if (!resume) {
    TrainConfig copy = config;
    Run run = Run::create(out, to_yaml(fields_of(copy)), graph);
    auto lock = std::make_unique<RunLock>(run);
    return {std::move(run), std::move(lock)};
  }
  Run run = Run::open(out);
  auto lock = std::make_unique<RunLock>(run);
  const std::string difference = training_difference(run, config);
  HASA_CHECK(difference.empty(), config,
             "{} was started with another config: {}\nuse its config.yaml, or choose another --out", out.string(),
             difference);
  run.check_graph(graph);
  return {std::move(run), std::move(lock)};
}

TrainedOutcome train_model(const TrainConfig& config, const HasaConfig& model, const Graph& graph,
                           const std::filesystem::path& out, bool resume, const torch::Device& device) {
  const auto read = [&] { return embed_texts(graph, config.graph, config.text, config.language_model, device); };
  TextEmbeddings texts;
  if (!resume) texts = read();
  const Started started = start_or_open(config, graph, out, resume);
  const std::filesystem::path file = started.run / Run::kTexts;
  if (!std::filesystem::exists(file)) (resume ? read() : texts).save(file);
  at::manual_seed(config.seed);
  FrozenLearner learner(config, model, graph, run_texts(started.run), device);
  return train_in(started.run, config, graph, learner, device);
}

TrainedOutcome train_model(const TrainConfig& config, const TextModelConfig&, const Graph& graph,
                           const std::filesystem::path& out, bool resume, const torch::Device& device) {
  const std::unique_ptr<Learner> learner = make_learner(config, graph, device);
  const Started started = start_or_open(config, graph, out, resume);
  copy_tokenizer(LanguageModel::open(config.language_model.path), started.run);
  return train_in(started.run, config, graph, *learner, device);
}

/// Models that read no text.
template <class Model>
TrainedOutcome train_model(const TrainConfig& config, const Model&, const Graph& graph,
                           const std::filesystem::path& out, bool resume, const torch::Device& device) {
  const std::unique_ptr<Learner> learner = make_learner(config, graph, device);
  const Started started = start_or_open(config, graph, out, resume);
  return train_in(started.run, config, graph, *learner, device);
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
  const torch::Device device = parse_device(config.device);
  check_options(config, device);
  const Graph graph = Graph::open(config.graph);
  HASA_CHECK(!graph.triples(Split::train).empty(), data, "{} has no training triples", config.graph);
  const bool go_on = resume && Run::is_run(out);
  if (!go_on) {
    Run::check_free(out);
    if (config.reads_text()) config.language_model.path = find_language_model(config.language_model.path).string();
  }
  return std::visit([&](const auto& model) { return train_model(config, model, graph, out, go_on, device); },
                    config.model);
}

}  // namespace hasa
