#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"
#include "hasa/eval/classification_report.h"
#include "hasa/job/evaluation.h"
#include "output.h"

namespace hasa {
namespace {

struct ClassifyArguments {
  std::string run, split = "test", graph, device, ends = "any";
  std::uint64_t seed = 1;
  bool json = false;
};

std::vector<LabelledTriple> judged(const EvaluatedRun& run, Split split, const FalseTriplesConfig& false_triples) {
  HASA_CHECK(!run.graph->triples(split).empty(), data, "the {} split of the run's graph has no triples",
             to_string(split));
  const KnownAnswers known = KnownAnswers::of_all_splits(*run.graph);
  std::vector<LabelledTriple> triples = labelled_triples(*run.graph, split, known, false_triples);
  score_triples(*run.scorer, run.graph->relations(), triples);
  return triples;
}

void classify_triples(const ClassifyArguments& options) {
  const EvaluatedRun run = open_for_evaluation(options.run, options.graph, options.device, /*memory=*/0);
  ClassificationReport report{
      .run = options.run,
      .split = parse_split(options.split),
      .false_triples = {.ends = options.ends == "seen" ? FalseEnds::seen : FalseEnds::any, .seed = options.seed},
      .result = {},
      .facts = run.facts};
  const auto thresholds = choose_thresholds(judged(run, Split::valid, report.false_triples), run.graph->relations());
  report.result = classify(judged(run, report.split, report.false_triples), thresholds);
  print(options.json ? to_json(report, *run.graph) + "\n"
                     : fmt::format("{}, triple classification on the {} split\n\n{}", shown(options.run), options.split,
                                   to_table(report, *run.graph)));
}

}  // namespace

void add_classify(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "classify", "triple classification: tell held-out triples from false ones, with a threshold per relation");
  const auto options = std::make_shared<ClassifyArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command->add_option("--split", options->split, "the split to classify; thresholds are always chosen on valid")
      ->check(CLI::IsMember({"valid", "test"}))
      ->capture_default_str();
  command
      ->add_option(
          "--false-ends", options->ends,
          "what replaces a true triple's head or tail: any entity, or one seen in training at that end of the relation")
      ->check(CLI::IsMember({"any", "seen"}))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the false triples")->capture_default_str();
  command->add_option("--graph", options->graph, "the run's graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->add_flag("--json", options->json, "one JSON document, with the threshold of every relation");
  command->callback([options] { classify_triples(*options); });
}

}  // namespace hasa
