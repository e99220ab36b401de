#include "hasa/job/grown_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/job/trained_run.h"
#include "hasa/train/checkpoint.h"

namespace hasa {
namespace {

/// By the checkpoint that training would resume from; 0 where it would begin anew.
std::int64_t epochs_done(const Run& run) {
  for (const char* name : {Run::kLast, Run::kPrevious}) {
    if (!std::filesystem::exists(run / name)) continue;
    try {
      return read_state(run / name).epoch;
    } catch (const Error&) {
      continue;  // damaged; the trainer says so
    }
  }
  return 0;
}

std::string counted(std::int64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", format_count(static_cast<std::uint64_t>(count)), count == 1 ? one : several);
}

}  // namespace

bool has_grown(const Graph& graph, const Run& run) {
  run.check_graph(graph);
  return graph.content_hash() != run.graph_hash();
}

void check_epochs_left(const Run& run, std::int64_t epochs) {
  const std::int64_t done = epochs_done(run);
  HASA_CHECK(done < epochs, config,
             "the graph has grown, but {} has done all of its {} epochs: nothing would be trained\nadd some with "
             "--set train.epochs={}, or ask the run as it is with --graph",
             run.folder().string(), done, done + std::max<std::int64_t>(1, done / 5));
}

bool stays_as_trained(const RunConfig& part, const Graph& graph, const std::filesystem::path& folder) {
  if (schedule_of(part) == nullptr || !Run::is_run(folder)) return false;
  const Run run = Run::open(folder);
  if (!run.has_model() || !has_grown(graph, run)) return false;
  log_info("{} stays as it was trained before the graph grew", folder.string());
  return true;
}

void move_run(Run& run, const Graph& graph, const std::string& place) {
  run.move_to(graph);
  RunConfig config = config_of(run);
  if (config.graph == place) return;
  config.graph = place;
  run.replace_config(to_yaml(fields_of(config)));
}

std::string trained_on(const Run& run, const Graph& graph) {
  const Growth growth = run.check_graph(graph);
  std::string words;
  if (graph.content_hash() != run.graph_hash()) {
    const auto texts = std::ssize(growth.changed_entities) + std::ssize(growth.changed_relations);
    words = fmt::format("graph {:016x}, from which this one grew: {} and {} came since, {} changed", run.graph_hash(),
                        counted(graph.entities() - growth.entities, "entity", "entities"),
                        counted(graph.relations() - growth.relations, "relation", "relations"),
                        counted(texts, "text", "texts"));
  } else if (!run.earlier_graphs().empty()) {
    words = "this graph";
  }
  for (auto hash = run.earlier_graphs().rbegin(); hash != run.earlier_graphs().rend(); ++hash)
    words += fmt::format("; before it grew graph {:016x}", *hash);
  return words;
}

}  // namespace hasa
