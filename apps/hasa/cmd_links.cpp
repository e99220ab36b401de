#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/find_links.h"
#include "hasa/serve/link_file.h"
#include "hasa/serve/lookup.h"
#include "option_checks.h"
#include "output.h"

namespace hasa {
namespace {

constexpr std::size_t kNameColumns = 32;

struct LinksArguments {
  std::string run, relation, out, graph, device;
  std::int64_t top = 100, each = 10;
  double minutes = 0;
  bool any_entity = false;
};

std::string links_table(const std::vector<LikelyLink>& links, const LiveState& state) {
  std::string table;
  for (const LikelyLink& link : links) {
    const std::string sure = link.probability ? fmt::format("{:6.1f}%", 100 * *link.probability) : "       ";
    table += fmt::format("{}  {:>8.3f}  {} {} {}\n", sure, link.score,
                         shown_in_column(state.entity_name(link.triple.head), kNameColumns),
                         shown_in_column(state.graph().relation_text(link.triple.relation), kNameColumns / 2),
                         shown(state.entity_name(link.triple.tail), kNameColumns));
  }
  return table;
}

RelationId relation_of(const Graph& graph, const std::string& words) {
  const RelationId relation = find_relation(graph, words);
  return relation < graph.relations() ? relation : inverse(relation, graph.relations());
}

void links(const LinksArguments& options) {
  if (!options.out.empty()) link_format_of(options.out);
  const auto run = ServedRun::open(options.run, {.graph = options.graph, .device = options.device});
  run->calibrate_if_cheap();
  const auto state = run->state();
  FindLinksOptions wanted;
  if (!options.relation.empty()) wanted.search.relation = relation_of(run->graph(), options.relation);
  wanted.search.per_question = options.each;
  wanted.search.occurs_with_relation = !options.any_entity;
  wanted.top = options.top;
  wanted.seconds = 60 * options.minutes;
  if (!options.out.empty()) wanted.progress = options.out + ".part";
  const FoundLinks found = find_links(Predictor(*run), *state, wanted);
  if (!found.complete())
    log_warning("{} of {} queries searched in {:g} minutes{}", found.asked, found.questions, options.minutes,
                options.out.empty() ? "" : "; the same command resumes from there");
  if (options.out.empty()) return print(links_table(found.links, *state));
  write_file(options.out, to_text(found.links, *state, link_format_of(options.out)));
  log_info("wrote {}, {} links", options.out, found.links.size());
}

}  // namespace

void add_links(CLI::App& program) {
  CLI::App* command = program.add_subcommand("links", "find the likeliest missing links");
  const auto options = std::make_shared<LinksArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command->add_option("--relation", options->relation, "only links of this relation, given by id or text");
  command->add_option("--top", options->top, "number of links")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--each", options->each, "maximum number of links per head and relation")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--any-entity", options->any_entity, "also answers that never occur as tail of the relation");
  command->add_option("--minutes", options->minutes, "time limit in minutes; 0: no limit")
      ->check(not_negative())
      ->capture_default_str();
  command->add_option(
      "--out", options->out,
      "file to write: .tsv, .jsonl, or .nt with a confidence for each; the same command resumes an interrupted search");
  command->add_option("--graph", options->graph, "the run's graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] { links(*options); });
}

}  // namespace hasa
