#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/memory.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/stopwatch.h"
#include "hasa/dist/job.h"
#include "hasa/eval/embeddings_folder.h"
#include "hasa/eval/paper_protocol.h"
#include "hasa/eval/query_sample.h"
#include "hasa/eval/rank_together.h"
#include "hasa/eval/ranks_file.h"
#include "hasa/eval/report.h"
#include "hasa/job/evaluation.h"
#include "hasa/model/sharded_scorer.h"
#include "output.h"

namespace hasa {
namespace {

struct EvalArguments {
  std::string run, split = "test", graph, device, memory, ranks, embeddings, html, protocol = "strict";
  QuerySample sample;
  bool json = false, breakdown = false, calibrate = false;
};

/// Ranks, and writes vectors as they come where that is asked for.
RankedSplit rank(const EvaluatedRun& run, const KnownAnswers& known, Split split, RankingOptions ranking,
                 const EvalArguments& options, Comm& comm) {
  const std::string& embeddings = options.embeddings;
  std::optional<EmbeddingsFolder> out;
  if (!embeddings.empty()) {
    const auto* with_vectors = dynamic_cast<const VectorScorer*>(run.scorer.get());
    HASA_CHECK(with_vectors != nullptr, config,
               "--embeddings: {} has no entity vectors: it scores query and entity together", run.facts.model.name);
    HASA_CHECK(options.sample.queries == 0, config, "--embeddings writes every query: omit --sample");
    out.emplace(embeddings, *run.graph, with_vectors->entities(), 2 * run.graph->triples(split).size());
    ranking.on_queries = [&](std::span<const Triple> queries, const torch::Tensor& vectors) {
      out->add(queries, vectors);
    };
  }
  RankedSplit ranked = rank_run(run, known, split, options.sample, ranking, comm);
  if (out) out->commit();
  return ranked;
}

/// What one process would have to see the scores of all entities for.
void refuse_whole_scores(const EvalArguments& options, const Comm& comm) {
  const char* asked = !options.html.empty()          ? "--html"
                      : options.protocol == "paper" ? "--protocol paper"
                      : options.calibrate           ? "--calibrate"
                                                    : nullptr;
  HASA_CHECK(asked == nullptr, config,
             "{} asks one process for scores of all entities, and here each of {} has a shard of them\nleave it out, or "
             "start one process",
             asked, comm.size());
}

void evaluate_here(const EvalArguments& options, Comm& comm) {
  const Stopwatch watch;
  const std::int64_t memory = options.memory.empty() ? 0 : parse_bytes(options.memory, "--memory");
  HASA_CHECK(comm.alone() || options.embeddings.empty(), config,
             "--embeddings is for one process, and this is one of {}\nleave it out, or start one process", comm.size());
  if (!options.embeddings.empty()) EmbeddingsFolder::check_free(options.embeddings);
  const EvaluatedRun run = open_for_evaluation(options.run, options.graph, options.device, memory, comm);
  const bool sharded = dynamic_cast<const ShardedScorer*>(run.scorer.get()) != nullptr;
  if (sharded) refuse_whole_scores(options, comm);
  const Split split = parse_split(options.split);
  const KnownAnswers known = KnownAnswers::of_all_splits(*run.graph);
  TopAnswersOf top(*run.graph, split, run.scorer->device());
  RankingOptions ranking = ranking_within(run, split, memory);
  ranking.on_ranked = [&](const ScoredQueries& part) { top.add(part); };
  const RankedSplit split_ranks = rank(run, known, split, ranking, options, comm);
  const std::vector<TopAnswers> best = gather_top_answers(top.take(), comm);
  if (!comm.first()) return;
  const std::vector<RankedQuery>& ranked = split_ranks.ranked;

  std::optional<PaperScores> paper;
  if (options.protocol == "paper") {
    paper = paper_scores(rank_as_the_paper(*run.scorer, *run.graph, known, split,
                                           {.budget_bytes = ranking.budget_bytes, .on_queries = {}}));
  }
  const bool breakdowns = options.breakdown || options.json || !options.html.empty();
  Report report = report_on(run, split_ranks, {options.run, split, watch, memory}, breakdowns);
  report.paper = paper;
  // Of queries whose ranks an earlier call left no scores are known.
  if (split_ranks.kept == 0 && !sharded)
    report.calibration = reported_calibration(run, best, ranking, options.calibrate);
  if (!options.ranks.empty()) write_ranks(options.ranks, rank_rows(ranked, *run.graph));
  if (!options.html.empty()) {
    report.training = read_training_curve(Run::open(options.run) / Run::kMetrics);
    report.examples = example_queries(*run.scorer, *run.graph, known, ranked);
    write_file(options.html, to_html(report));
  }
  // In a terminal, breakdowns are shown only on request.
  if (!options.breakdown && !options.json) report.breakdowns.clear();
  print(options.json ? to_json(report) + "\n"
                     : fmt::format("{}, {} split\n\n{}", shown(options.run), options.split, to_table(report)));
  const std::int64_t held = peak_memory(run.scorer->device());
  if (memory > 0 && held > memory)
    log_warning("peak memory was {}, more than --memory allows: please report this", format_bytes(held));
}

}  // namespace

void add_eval(CLI::App& program) {
  CLI::App* command = program.add_subcommand("eval", "evaluate a run on held-out triples: MRR, hits, mean rank");
  const auto options = std::make_shared<EvalArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command->add_option("--split", options->split, "split to evaluate")
      ->check(CLI::IsMember({"valid", "test"}))
      ->capture_default_str();
  command->add_option("--graph", options->graph, "the run's graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->add_option("--memory", options->memory,
                      "memory limit, such as 2G: of the whole process, or of the GPU if there is one");
  command->add_flag("--breakdown", options->breakdown,
                    "also metrics by relation, cardinality, degree, distance, seen or unseen, linked or not");
  command->add_option("--ranks", options->ranks, "write the three ranks of every query to this TSV file");
  command->add_option(
      "--embeddings", options->embeddings,
      "write entities.npy, queries.npy and their ids to this folder: the vectors that scores are computed from");
  command->add_flag("--calibrate", options->calibrate,
                    "refit probabilities on validation, also for a model that is slow to score it");
  command->add_option("--html", options->html, "write a page with charts to this file");
  command->add_option("--protocol", options->protocol, "paper: also measure as the paper's released program would")
      ->check(CLI::IsMember({"strict", "paper"}))
      ->capture_default_str();
  command
      ->add_option("--sample", options->sample.queries,
                   "rank a random sample of this many queries, among all entities; for slow models a larger sample "
                   "resumes from a smaller one")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  command->add_option("--sample-seed", options->sample.seed, "which sample")->capture_default_str();
  command->add_flag("--json", options->json, "one JSON document, with everything in it");
  command->callback([options] { in_job([&](Comm& comm) { evaluate_here(*options, comm); }); });
}

}  // namespace hasa
