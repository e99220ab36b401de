#include "hasa/study/study_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/stopwatch.h"
#include "hasa/job/resolve_schedule.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/import_graph.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> graphs_for(StudySize size) {
  switch (size) {
    case StudySize::tiny: return {"synthetic:200:1200"};
    case StudySize::quick: return {"wordnet:animal"};
    case StudySize::full: break;
  }
  return {"graphs/WN18RR", "graphs/FB15k-237"};
}

bool is_imported(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / Graph::kFileName, ignored);
}

/// "WN18RR" of a path to it, "animal" of wordnet:animal, "synthetic-200-1200".
std::string name_of(const std::string& source) {
  constexpr std::string_view kWordnet = "wordnet:";
  std::string name = source.starts_with(kWordnet) ? source.substr(kWordnet.size()) : source;
  if (source.find(':') == std::string::npos) name = fs::absolute(source).lexically_normal().filename().string();
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

std::optional<Json> read_json(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

void write_json(const fs::path& file, const Json& json) {
  write_file(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// Of all options but the places of graphs and the device, which change nothing: a graph's content stands for it.
std::string stamp_of(RunConfig config, const Graph& graph) {
  config.graph.clear();
  config.device.clear();
  if (auto* frozen = std::get_if<FrozenFamily>(&config.family); frozen != nullptr && !frozen->negatives.truths.empty())
    frozen->negatives.truths = StudyContext::fingerprint(Graph::open(frozen->negatives.truths));
  const std::string options = fmt::format("{:016x}\n{}", graph.content_hash(), to_yaml(fields_of(config)));
  return fmt::format("{:016x}", hash_bytes(options.data(), options.size()));
}

constexpr const char* kStopped = "stopped by a signal; what is finished is kept\ngo on with the same command";

}  // namespace

StudyContext::StudyContext(StudySettings settings, std::string study)
    : settings_(std::move(settings)), study_(std::move(study)) {
  refuse_dangling_link(settings_.out);
  for (const fs::path& each : {settings_.out / "graphs", settings_.out / "runs", folder() / "pieces"})
    fs::create_directories(each);
}

void StudyContext::stop_if_asked() const {
  if (stop_.requested()) throw Stopped(kStopped);
}

std::vector<StudyGraph> StudyContext::graphs() {
  std::vector<StudyGraph> graphs;
  for (const std::string& source : settings_.graphs.empty() ? graphs_for(settings_.size) : settings_.graphs)
    graphs.push_back(graph_from(source));
  return graphs;
}

StudyGraph StudyContext::graph_from(const std::string& source) {
  if (is_imported(source)) return {name_of(source), fs::absolute(source).lexically_normal()};
  return derived_graph(name_of(source), [&] { return import_graph({source}, import_source({source}), {}, {}); });
}

StudyGraph StudyContext::derived_graph(const std::string& name, const std::function<Graph()>& make) {
  StudyGraph graph{name, fs::absolute(settings_.out / "graphs" / name).lexically_normal()};
  if (is_imported(graph.folder)) return graph;
  stop_if_asked();
  make().save(graph.folder);
  return graph;
}

std::string StudyContext::fingerprint(const Graph& graph) { return fmt::format("{:016x}", graph.content_hash()); }

Json StudyContext::piece(const std::string& name, const Json& made_from, const std::function<Json()>& compute) {
  const fs::path file = folder() / "pieces" / (name + ".json");
  if (const auto kept = read_json(file); kept && kept->contains("made_from") && kept->contains("result")) {
    // Through text, so that a number compares as the file has it.
    if (kept->at("made_from").dump() == Json::parse(made_from.dump()).dump()) return kept->at("result");
  }
  stop_if_asked();
  log_info("{}: {}", study_, name);
  const Json result = compute();
  write_json(file, {{"made_from", made_from}, {"result", result}});
  return Json::parse(result.dump());
}

StudyRun StudyContext::train(const std::string& name, RunConfig config) {
  config.device = settings_.device;
  const Graph graph = Graph::open(config.graph);
  resolve_schedule(config, graph);
  const std::string stamp = stamp_of(config, graph);
  const fs::path folder = settings_.out / "runs" / fmt::format("{}-{}", name, stamp);
  const fs::path done = folder.string() + ".done.json";
  if (const auto kept = read_json(done); kept && Run::is_run(folder) && kept->contains("epochs"))
    return {folder, kept->at("valid_mrr").get<double>(), kept->at("epochs").get<std::int64_t>(),
            kept->at("seconds").get<double>()};
  stop_if_asked();
  log_info("{}: training {}", study_, name);
  const bool anew = !Run::is_run(folder);
  const Stopwatch watch;
  const TrainedOutcome outcome = train_run(config, folder, /*resume=*/true);
  if (outcome.end == TrainEnd::interrupted) throw Stopped(kStopped);
  const StudyRun run{folder, outcome.state.best_mrr, outcome.state.epoch, anew ? watch.seconds() : 0};
  write_json(done, {{"valid_mrr", run.valid_mrr}, {"epochs", run.epochs}, {"seconds", run.seconds}});
  return run;
}

}  // namespace hasa
