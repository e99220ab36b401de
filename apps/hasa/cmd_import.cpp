#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/kg/add_to_graph.h"
#include "hasa/kg/graph_file.h"
#include "hasa/kg/import_graph.h"
#include "option_checks.h"
#include "output.h"

namespace hasa {
namespace {

struct ImportArguments {
  std::vector<std::string> inputs;
  std::string out, add, into = "train", format = "auto", separator, header, quotes, bad_lines = "fail";
  TextFiles texts;
  bool json = false;
  ReadTriplesOptions triples;
};

/// An option that would have no effect is a mistake the user should know about.
void check_given(const CLI::App& command, ImportSource source) {
  static const std::vector<std::string> of_fields{"--separator", "--header",    "--no-header",
                                                  "--quotes",    "--no-quotes", "--columns"};
  static const std::vector<std::string> of_files{"--text", "--relation-text", "--format", "--language"};
  static const std::vector<std::string> of_a_split{"--valid", "--test", "--unseen", "--seed"};
  using Groups = std::vector<std::vector<std::string>>;
  static const std::map<ImportSource, std::pair<std::string, Groups>> idle{
      {ImportSource::triples, {"", {}}},
      {ImportSource::benchmark, {"a benchmark folder has its own splits and texts", {of_fields, of_files, of_a_split}}},
      {ImportSource::numbered, {"such a folder has its own splits and texts", {of_fields, of_files, of_a_split}}},
      {ImportSource::splits,
       {"a folder of train, valid and test has its own splits and texts", {{"--text", "--relation-text"}, of_a_split}}},
      {ImportSource::wordnet, {"WordNet has its own texts", {of_fields, of_files, {"--bad-lines"}}}},
      {ImportSource::synthetic, {"a generated graph has its own texts", {of_fields, of_files, {"--bad-lines"}}}}};
  const auto& [reason, groups] = idle.at(source);
  for (const std::vector<std::string>& names : groups) {
    for (const std::string& name : names)
      HASA_CHECK(command.count(name) == 0, config, "{} has no effect here: {}; it applies to files of triples", name,
                 reason);
  }
}

/// What the words of the command line mean.
void read_words(ImportArguments& options) {
  options.triples.as.format = input_format_of(options.format);
  DelimitedWishes& fields = options.triples.as.fields;
  if (!options.separator.empty()) fields.separator = separator_of(options.separator);
  if (!options.header.empty()) fields.header = options.header == "yes";
  if (!options.quotes.empty()) fields.quotes = options.quotes == "yes";
  options.triples.import.bad_lines = bad_lines_of(options.bad_lines);
}

void write_graph(const Graph& graph, const ImportArguments& options, const std::string& out) {
  graph.save(out, options.add);
  log_info("wrote {}", out);
  print(options.json ? to_json(graph.audit()) + "\n" : to_table(graph.audit()));
}

void add(ImportArguments& options, const CLI::App& command) {
  for (const char* name : {"--valid", "--test", "--unseen", "--seed"})
    HASA_CHECK(command.count(name) == 0, config, "{} has no effect with --add: what is added goes into {}", name,
               options.into);
  const std::string out = options.out.empty() ? options.add : options.out;
  check_graph_place(out);
  const Split into = options.into == "valid" ? Split::valid : options.into == "test" ? Split::test : Split::train;
  const Graph graph = add_to_graph(Graph::open(options.add), options.inputs, options.texts, options.triples, into);
  write_graph(graph, options, out);
  if (options.out.empty()) {
    log_info(
        "runs trained on {} answer over it as it is now; hasa train --resume RUN --set train.epochs=MORE trains on it",
        out);
  } else {
    log_info(
        "runs trained on {} can be asked with --graph {}, and go on with hasa train --resume RUN --set graph={} --set "
        "train.epochs=MORE",
        options.add, out, out);
  }
}

void import(ImportArguments& options, const CLI::App& command) {
  read_words(options);
  if (!options.add.empty()) return add(options, command);
  HASA_CHECK(command.count("--into") == 0, config, "--into has no effect without --add");
  HASA_CHECK(!options.out.empty(), config, "--out is missing: give the folder to write");
  const ImportSource source = import_source(options.inputs);
  check_graph_place(options.out);
  check_given(command, source);
  const Graph graph = import_graph(options.inputs, source, options.texts, options.triples);
  const bool has_splits =
      source == ImportSource::benchmark || source == ImportSource::numbered || source == ImportSource::splits;
  for (const Split split : {Split::valid, Split::test}) {
    const double wanted = split == Split::valid ? options.triples.split.valid : options.triples.split.test;
    if (!has_splits && wanted > 0 && graph.triples(split).empty())
      log_warning("no triples were left for {}: every entity and relation keeps at least one in train",
                  to_string(split));
  }
  write_graph(graph, options, options.out);
}

void add_options_of_files(CLI::App& command, ImportArguments& options) {
  command
      .add_option("--text", options.texts.entities,
                  "texts of entities: id, name, description, or id, description; or JSON Lines or RDF")
      ->allow_extra_args(false);
  command.add_option("--relation-text", options.texts.relations, "relation texts: id, text; or JSON Lines or RDF")
      ->allow_extra_args(false);
  command
      .add_option("--format", options.format,
                  "auto (by name and first lines), tsv, csv, jsonl, ntriples (and N-Quads), turtle, trig or kgtk")
      ->capture_default_str();
  command
      .add_option("--language", options.triples.as.languages,
                  "languages of texts in RDF and KGTK, in order of preference")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command.add_option("--separator", options.separator,
                     "between fields: tab, comma, semicolon, bar, space or a character; by default detected");
  command.add_flag("--header{yes},--no-header{no}", options.header,
                   "the first line names the columns, or does not; by default detected");
  command.add_flag("--quotes{yes},--no-quotes{no}", options.quotes,
                   "whether fields may be in double quotes; by default in comma-separated files only");
  command.add_option("--columns", options.triples.as.fields.columns,
                     "columns of head, relation, tail and, if any, time: numbers from 1, or names in the header");
  command
      .add_option("--bad-lines", options.bad_lines,
                  "malformed lines: fail, skip (and count them), or how many to skip at most")
      ->capture_default_str();
}

}  // namespace

void add_import(CLI::App& program) {
  CLI::App* command = program.add_subcommand("import", "import a graph and its texts");
  const auto options = std::make_shared<ImportArguments>();
  command->add_option(
      "input", options->inputs,
      "files of triples (TSV, CSV, JSON Lines, N-Triples, N-Quads, Turtle, KGTK; gzip and zstd as well), - "
      "for standard input; or one folder (train, valid and test files, or OpenKE's, LibKGE's, PyKEEN's); or "
      "wordnet, wordnet:DOMAIN, such as wordnet:animal, for the system's WordNet; or "
      "synthetic:ENTITIES:TRIPLES for a generated one");
  command->add_option("--out", options->out, "graph folder to write; an existing graph there is replaced");
  command->add_option(
      "--add", options->add,
      "a graph to add the triples and texts to; runs trained on it can go on with the result. Without --out it is "
      "replaced");
  command->add_option("--into", options->into, "split of the added triples: train, valid or test")
      ->check(CLI::IsMember({"train", "valid", "test"}))
      ->capture_default_str();
  add_options_of_files(*command, *options);
  SplitOptions& split = options->triples.split;
  command->add_option("--valid", split.valid, "fraction of the triples held out for validation")->capture_default_str();
  command->add_option("--test", split.test, "fraction of the triples held out for testing")->capture_default_str();
  command->add_option("--unseen", split.unseen_entities, "fraction of the entities kept out of training on purpose")
      ->capture_default_str();
  command->add_option("--seed", split.seed, "seed of the split")->check(not_negative())->capture_default_str();
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options, command] { import(*options, *command); });
}

}  // namespace hasa
