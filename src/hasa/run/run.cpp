#include "hasa/run/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/version.h"
#include "hasa/model/language_model.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 2;
constexpr const char* kDescription = "run.json";
constexpr const char* kConfig = "config.yaml";

/// A value of whatever type as it stands in a message.
std::string words(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// A checkpoint may be gigabytes, and each kill in the middle of one would leave as much.
void remove_half_written(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (is_temporary(entry.path())) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove(path, ignored);
}

}  // namespace

bool Run::is_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kDescription, ignored);
}

void Run::check_free(const fs::path& folder) {
  HASA_CHECK(!is_run(folder), config, "{} holds a run already\ncontinue it with --resume, or choose another --out",
             folder.string());
  std::error_code code;
  HASA_CHECK(!fs::exists(folder, code) || (fs::is_directory(folder, code) && fs::is_empty(folder, code)), config,
             "{} is there and is no run\nchoose another --out, or an empty folder", folder.string());
}

Run Run::create(const fs::path& folder, const std::string& config_yaml, const Graph& graph) {
  check_free(folder);
  AtomicFolder fresh(folder);
  const nlohmann::ordered_json description{{"format", kFormat},
                                           {"hasa", version()},
                                           {"commit", commit()},
                                           {"graph_hash", fmt::format("{:016x}", graph.content_hash())}};
  write_file(fresh.path() / kDescription, description.dump(2) + "\n");
  write_file(fresh.path() / kConfig, config_yaml);
  fs::create_directory(fresh.path() / kBestFolder);
  fresh.commit();
  return open(folder);
}

Run Run::open(const fs::path& folder) {
  HASA_CHECK(fs::is_directory(folder), data, "there is no run folder {}", folder.string());
  HASA_CHECK(is_run(folder), data, "{} is no run folder: it has no {}\nexpected a folder written by hasa train",
             folder.string(), kDescription);
  const fs::path file = folder / kDescription;
  Run run;
  run.folder_ = folder;
  try {
    const auto description = nlohmann::json::parse(read_file(file));
    HASA_CHECK(description.at("format") == kFormat, data,
               "{} was written by hasa {} in format {}, this is hasa {} with format {}\nopen it with that version, or "
               "train anew from its config.yaml",
               folder.string(), words(description.value("hasa", nlohmann::json("?"))), words(description.at("format")),
               version(), kFormat);
    run.graph_hash_ = std::stoull(description.at("graph_hash").get<std::string>(), nullptr, 16);
  } catch (const std::exception& problem) {
    if (dynamic_cast<const Error*>(&problem) != nullptr) throw;
    fail(ErrorKind::data, "{} is damaged: {}", file.string(), problem.what());
  }
  run.config_yaml_ = read_file(folder / kConfig);
  return run;
}

RunSetup Run::setup() const {
  RunSetup setup;
  apply_yaml(fields_of(setup), config_yaml_, (folder_ / kConfig).string(), UnknownOptions::pass_over);
  return setup;
}

void Run::check_graph(const Graph& graph) const {
  HASA_CHECK(graph.content_hash() == graph_hash_, data,
             "the graph has changed since {} was trained on it (hash {:016x}, was {:016x})\nuse the old one, or train "
             "anew",
             folder_.string(), graph.content_hash(), graph_hash_);
}

RunLock::RunLock(const Run& run) : descriptor_(::open((run / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  HASA_CHECK(descriptor_ >= 0, io, "cannot write to {}: {}", run.folder().string(), std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    ::close(descriptor_);
    HASA_CHECK(code == EWOULDBLOCK, io, "cannot lock {}: {}", run.folder().string(), std::strerror(code));
    fail(ErrorKind::io, "another process is writing to {}\nwait for it, or choose another --out",
         run.folder().string());
  }
  remove_half_written(run.folder());
  remove_half_written(run / Run::kBestFolder);
}

RunLock::~RunLock() { ::close(descriptor_); }

TextEmbeddings run_texts(const Run& run) {
  try {
    return TextEmbeddings::load(run / Run::kTexts);
  } catch (const Error& error) {
    fail(error.kind(), "{}\ndelete it, and hasa train --resume makes it again", error.what());
  }
}

namespace {

std::unique_ptr<Scorer> scorer_of(const Run& run, const RunSetup&, const HasaConfig& config, const Graph& graph,
                                  const fs::path&, const torch::Device& device) {
  HasaModel model(config, run_texts(run), graph, device);
  copy_into(model.parameters(), load_tensors(run / Run::kBest));
  return model.scorer();
}

std::unique_ptr<Scorer> scorer_of(const Run& run, const RunSetup& setup, const TextModelConfig& config,
                                  const Graph& graph, const fs::path& graph_folder, const torch::Device& device) {
  const LanguageModel language_model = LanguageModel::open((run / Run::kBestFolder).string());
  const TextModel model = open_text_model(config, setup.language_model, language_model.folder, device);
  model.load_new_layers(language_model.folder);
  return make_scorer(model, text_inputs(graph, graph_folder, setup.text, language_model), /*show_progress=*/true);
}

template <class Model, class Config>
std::unique_ptr<Scorer> scorer_of_tables(const Run& run, const Config& config, const Graph& graph,
                                         const torch::Device& device) {
  const Model model(config, graph.entities(), graph.relations(), device);
  copy_into(model.parameters(), load_tensors(run / Run::kBest));
  return model.scorer();
}

std::unique_ptr<Scorer> scorer_of(const Run& run, const RunSetup&, const TableModelConfig& config, const Graph& graph,
                                  const fs::path&, const torch::Device& device) {
  return scorer_of_tables<TableModel>(run, config, graph, device);
}

std::unique_ptr<Scorer> scorer_of(const Run& run, const RunSetup&, const KbganConfig& config, const Graph& graph,
                                  const fs::path&, const torch::Device& device) {
  return scorer_of_tables<KbganModel>(run, config, graph, device);
}

}  // namespace

TrainedRun open_trained(const Run& run, const std::string& graph_folder, const std::string& device_name) {
  const RunSetup setup = run.setup();
  HASA_CHECK(fs::exists(run / Run::kBest), data,
             "{} has no model yet\ncontinue its training with hasa train --resume, to the end of an epoch at least",
             run.folder().string());
  const std::string place = graph_folder.empty() ? setup.graph : graph_folder;
  std::error_code ignored;
  HASA_CHECK(fs::exists(place, ignored), data, "the graph of {} is not at \"{}\"\nname it with --graph",
             run.folder().string(), place);
  Graph graph = Graph::open(place);
  run.check_graph(graph);
  const torch::Device device = parse_device(device_name.empty() ? setup.device : device_name);
  auto scorer =
      std::visit([&](const auto& model) { return scorer_of(run, setup, model, graph, place, device); }, setup.model);
  return {std::move(graph), std::move(scorer)};
}

}  // namespace hasa
