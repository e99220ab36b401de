#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "answers.h"
#include "commands.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/stopwatch.h"
#include "hasa/dist/job.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/ranking.h"
#include "hasa/eval/report.h"
#include "hasa/eval/report_charts.h"
#include "hasa/job/evaluation.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/wordnet.h"
#include "hasa/model/text_similarity.h"
#include "hasa/page/svg.h"
#include "hasa/serve/lookup.h"
#include "hasa/serve/predictor.h"
#include "output.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

struct DemoArguments {
  std::string out = "demo";
  bool quick = false;
};

/// What the demo asks at the end: a few links, in both directions.
struct Ask {
  const char* entity;
  const char* relation;
  bool asks_tail;
};
constexpr Ask kQuestions[] = {
    {"beagle", "hypernym", true}, {"parrot", "member of", true}, {"hound", "hypernym", false}};

void heading(const std::string& text) {
  clear_progress_line();
  print("\n" + text + "\n");
  std::fflush(stdout);
}

RunConfig demo_config(const fs::path& graph, std::int64_t context_layers, std::int64_t epochs) {
  RunConfig config;
  config.graph = graph.string();
  auto& frozen = config.family.emplace<FrozenFamily>();
  frozen.model.context_layers = context_layers;
  frozen.loss.tail_to_query = true;
  frozen.train.epochs = epochs;
  frozen.train.batch = 256;
  return config;
}

/// Trains, or resumes an interrupted demo with the same config.
void train_into(const RunConfig& config, const fs::path& out) {
  if (Run::is_run(out) && !training_difference(Run::open(out), config).empty()) fs::remove_all(out);
  if (train_run(config, out, /*resume=*/true).end != TrainEnd::interrupted) return;
  fail(ErrorKind::unavailable, "interrupted by a signal; run the demo again to resume it");
}

void print_row(const std::string& name, const Metrics& m) {
  print(fmt::format("  {:<38}{:>6}{:>7}{:>7}{:>8.0f}\n", name, format_share(m.mrr), format_share(m.hits_at_1),
                    format_share(m.hits_at_10), m.mean_rank));
}

void ask_questions(const fs::path& folder, const fs::path& graph_folder) {
  const auto run = ServedRun::open(folder, {.graph = graph_folder.string()});
  const auto state = run->state();
  for (const Ask& ask : kQuestions) {
    RelationId relation = find_relation(run->graph(), ask.relation);
    if (!ask.asks_tail) relation = inverse(relation, run->graph().relations());
    const Question question{run->lookup().entity(*state, ask.entity), relation, {.top = 5}};
    const auto answers = Predictor(*run).answers(*state, {&question, 1});
    print("\n" + to_table(*state, question, answers.front(), run->facts().score));
  }
}

void demo(const DemoArguments& options) {
  check_one_process("hasa demo");
  const fs::path out = options.out;
  const fs::path graph_folder = out / "graph", run = out / "run", texts_alone = out / "run-texts-alone";
  heading("1. A graph: the animals of WordNet");
  if (!fs::exists(graph_folder)) read_wordnet(kSystemWordnet, {.domain = "animal", .split = {}}).save(graph_folder);
  const Graph graph = Graph::open(graph_folder);
  print(to_table(graph.audit()));

  heading("2. Trained on the texts alone, over the frozen language model all-MiniLM-L6-v2");
  train_into(demo_config(graph_folder, /*context_layers=*/0, /*epochs=*/options.quick ? 1 : 5), texts_alone);
  heading("3. Trained with context: an animal's neighbours in the graph contribute too");
  train_into(demo_config(graph_folder, /*context_layers=*/1, /*epochs=*/options.quick ? 1 : 7), run);

  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  heading(fmt::format("4. Results: {} test links, heads and tails ranked among all {} animals",
                      graph.triples(Split::test).size(), format_count(static_cast<std::uint64_t>(graph.entities()))));
  print(fmt::format("  {:<38}{:>6}{:>7}{:>7}{:>8}\n", "", "MRR", "H@1", "H@10", "MR"));
  std::vector<Floor> floors;
  const auto add_floor = [&](const char* name, const Scorer& scorer) {
    floors.push_back(make_floor(name, rank_split(scorer, graph, known, Split::test), graph));
    print_row(name, floors.back().metrics);
  };
  add_floor("ranked by plain text similarity", TextSimilarity(run_texts(Run::open(run)).entities));
  add_floor("trained on texts alone", *open_trained(Run::open(texts_alone), graph_folder.string()).scorer);
  const Stopwatch watch;
  EvaluatedRun evaluated = open_for_evaluation(run.string(), graph_folder.string(), /*device=*/"", /*memory=*/0);
  TopAnswersOf top(graph, Split::test, evaluated.scorer->device());
  RankingOptions ranking;
  ranking.on_ranked = [&](const ScoredQueries& part) { top.add(part); };
  const std::vector<RankedQuery> ranked = rank_split(*evaluated.scorer, graph, known, Split::test, ranking);
  print_row("trained with context", metrics_of(ranked));
  const Circumstances circumstances{.name = run.string(), .watch = watch};
  Report report = report_on(evaluated, ranked, circumstances, /*breakdowns=*/true);
  report.graph = "Animals of WordNet";
  report.calibration = reported_calibration(evaluated, top.take(), ranking, /*anew=*/false);
  report.floors = std::move(floors);
  report.training = read_training_curve(Run::open(run) / Run::kMetrics);
  report.examples = example_queries(*evaluated.scorer, graph, known, ranked);
  write_file(out / "report.html", to_html(report));
  write_file(out / "result.svg", to_svg_file(beside_chart(report)));
  print(fmt::format("\n  charts of where it is right and wrong: {}\n", (out / "report.html").string()));

  heading("5. Questions");
  ask_questions(run, graph_folder);
  print(
      fmt::format("\nAsk a question: {0} predict {1} --head beagle --relation hypernym\n"
                  "Evaluate again: {0} eval {1}\nYour own graph: {0} import triples.tsv --text texts.tsv --out graph\n"
                  "In a browser:   {0} serve {1}\n",
                  program_invocation_name, run.string()));
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("demo", "train on WordNet's animals, evaluate the model, and ask it questions");
  const auto options = std::make_shared<DemoArguments>();
  command->add_option("--out", options->out, "folder to work in; an interrupted demo there is resumed")
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "train for one epoch only: everything is shown, with lower metrics");
  command->callback([options] { demo(*options); });
}

}  // namespace hasa
