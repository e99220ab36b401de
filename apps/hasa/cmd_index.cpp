#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/job/trained_run.h"
#include "hasa/page/number.h"
#include "hasa/serve/index_trial.h"
#include "hasa/serve/run_index.h"
#include "output.h"

namespace hasa {
namespace {

struct IndexArguments {
  std::string run, compare, graph, device, kind = "ivf", precision = "f32";
  RunIndexOptions index;
  bool json = false;
};

VectorPrecision precision_of(const std::string& word) {
  return word == "f32" ? VectorPrecision::f32 : word == "f16" ? VectorPrecision::f16 : VectorPrecision::i8;
}

void compare_indexes(const IndexArguments& options, const VectorScorer& scorer, const Graph& graph) {
  std::filesystem::create_directories(options.compare);
  const auto trials = try_indexes(scorer, graph, options.compare,
                                  {.queries = options.index.queries, .wanted_recall = options.index.wanted_recall});
  print(options.json ? to_json(trials) + "\n"
                     : fmt::format("the ten nearest of {} entities, dimension {}\n\n{}", scorer.num_entities(),
                                   scorer.entities().size(1), to_table(trials)));
}

void build_index(const IndexArguments& options) {
  const Run run = Run::open(options.run);
  const TrainedRun trained = open_trained(run, options.graph, options.device);
  const auto* scorer = dynamic_cast<const VectorScorer*>(trained.scorer.get());
  HASA_CHECK(scorer != nullptr, config,
             "{} has no entity vectors: its model scores query and entity together, so there is nothing to index",
             options.run);
  if (!options.compare.empty()) return compare_indexes(options, *scorer, *trained.graph);
  RunIndexOptions wanted = options.index;
  wanted.faiss.kind = options.kind == "ivf" ? IndexKind::ivf : IndexKind::hnsw;
  wanted.faiss.precision = precision_of(options.precision);
  const RunIndex made = make_run_index(run, *trained.graph, *scorer, wanted);
  print(fmt::format("recall of the ten nearest {}, searching {} {}; from now on questions use this index\n",
                    format_share(made.recall), made.effort, options.kind == "ivf" ? "lists" : "candidates"));
}

}  // namespace

void add_index(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "index", "build a nearest-neighbour index of a run's entities, for graphs too large to compare all of them");
  const auto options = std::make_shared<IndexArguments>();
  command->add_option("run", options->run, "run folder written by hasa train; the index is stored in it")->required();
  command->add_option("--kind", options->kind, "ivf: inverted lists; hnsw: a graph of neighbours")
      ->check(CLI::IsMember({"ivf", "hnsw"}))
      ->capture_default_str();
  command->add_option("--precision", options->precision, "number format of the vectors: f32, f16 or i8")
      ->check(CLI::IsMember({"f32", "f16", "i8"}))
      ->capture_default_str();
  command->add_option("--recall", options->index.wanted_recall, "recall of the ten nearest to tune for")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--queries", options->index.queries, "number of questions to measure it on")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  CLI::Option* compare = command->add_option(
      "--compare", options->compare,
      "instead build every kind in this folder, and compare recall, time and size with exact search");
  command->add_flag("--json", options->json, "the comparison as one JSON document")->needs(compare);
  command->add_option("--graph", options->graph, "the run's graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] { build_index(*options); });
}

}  // namespace hasa
