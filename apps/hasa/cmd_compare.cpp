#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"
#include "hasa/eval/comparison.h"
#include "hasa/job/evaluation.h"
#include "hasa/run/run.h"
#include "output.h"

namespace hasa {
namespace {

struct CompareArguments {
  std::string a, b, split = "test", graph, device;
  QuerySample sample;
  bool json = false;
};

/// Ranks and, where they come from a run, the graph they were made on.
struct Ranks {
  std::vector<RankRow> rows;
  std::optional<std::uint64_t> graph;
};

Ranks ranks_of(const std::string& path, const CompareArguments& options) {
  if (!std::filesystem::is_directory(path)) return {read_ranks(path), {}};
  const EvaluatedRun run = open_for_evaluation(path, options.graph, options.device, /*memory=*/0);
  const Split split = parse_split(options.split);
  const RankedSplit ranked = rank_run(run, KnownAnswers::of_all_splits(*run.graph), split, options.sample,
                                      ranking_within(run, split, /*memory=*/0));
  return {rank_rows(ranked.ranked, *run.graph), run.graph->content_hash()};
}

void compare(const CompareArguments& options) {
  Ranks a = ranks_of(options.a, options), b = ranks_of(options.b, options);
  HASA_CHECK(!a.graph || !b.graph || *a.graph == *b.graph, data,
             "{} and {} were trained on different graphs (content hashes {:016x} and {:016x})\nonly runs on the same "
             "graph can be compared",
             options.a, options.b, *a.graph, *b.graph);
  const Comparison comparison = compare_ranks(std::move(a.rows), std::move(b.rows));
  print(options.json ? to_json(comparison, options.a, options.b) + "\n"
                     : to_table(comparison, shown(options.a), shown(options.b)));
}

}  // namespace

void add_compare(CLI::App& program) {
  CLI::App* command = program.add_subcommand("compare", "test whether one run is better than another: a paired test");
  const auto options = std::make_shared<CompareArguments>();
  command->add_option("a", options->a, "a run, or a file written by hasa eval --ranks")->required();
  command->add_option("b", options->b, "another one")->required();
  command->add_option("--split", options->split, "split to compare on, for runs")
      ->check(CLI::IsMember({"valid", "test"}))
      ->capture_default_str();
  command->add_option("--graph", options->graph, "the runs' graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is each run's");
  command->add_option("--sample", options->sample.queries, "compare on a random sample of this many queries, for runs")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  command->add_option("--sample-seed", options->sample.seed, "which sample")->capture_default_str();
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] { compare(*options); });
}

}  // namespace hasa
