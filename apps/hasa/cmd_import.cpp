#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"
#include "hasa/kg/wordnet.h"
#include "output.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string input, out, text, relation_text;
  std::string format = "by name", bad_lines = "fail";
  bool header = false, json = false;
  SplitOptions split;
};

constexpr std::string_view kWordnet = "wordnet";

Graph read(const Options& options) {
  const BadLines bad_lines = options.bad_lines == "skip" ? BadLines::skip : BadLines::fail;
  if (fs::is_directory(options.input)) {
    HASA_CHECK(options.text.empty() && options.relation_text.empty(), config,
               "--text and --relation-text go with a file of triples; a benchmark folder has entities.tsv and relations.tsv");
    return read_benchmark(options.input, {bad_lines});
  }
  if (!fs::exists(options.input) && options.input.starts_with(kWordnet)) {
    WordnetOptions wordnet;
    wordnet.split = options.split;
    if (options.input.size() > kWordnet.size()) wordnet.domain = options.input.substr(kWordnet.size() + 1);
    return read_wordnet(kSystemWordnet, wordnet);
  }
  HASA_CHECK(fs::exists(options.input), data,
             "there is no {}\nexpected a benchmark folder, a file of triples, wordnet or wordnet:DOMAIN", options.input);
  ReadTriplesOptions triples;
  triples.format = options.format == "tsv"   ? TripleFormat::tsv
                   : options.format == "csv" ? TripleFormat::csv
                                             : TripleFormat::by_name;
  triples.header = options.header;
  triples.import.bad_lines = bad_lines;
  triples.split = options.split;
  return read_triples(options.input, options.text, triples, options.relation_text);
}

void import(const Options& options) {
  const Graph graph = read(options);
  graph.save(options.out);
  log_info("wrote {}", options.out);
  print(options.json ? to_json(graph.audit()) + "\n" : to_table(graph.audit()));
}

}  // namespace

void add_import(CLI::App& program) {
  CLI::App* command = program.add_subcommand("import", "read a graph and its texts, and write it in binary form");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input,
                      "a benchmark folder (train.txt, valid.txt, test.txt, entities.tsv, relations.tsv), a TSV or CSV file "
                      "of triples, or wordnet or wordnet:DOMAIN, such as wordnet:animal, for the system's WordNet")
      ->required();
  command->add_option("--out", options->out, "folder to write; an older graph there is replaced")->required();
  command->add_option("--text", options->text, "for a file of triples: id, name, description of entities, tab-separated");
  command->add_option("--relation-text", options->relation_text, "for a file of triples: id, words of relations");
  command->add_option("--format", options->format, "of a file of triples")->check(CLI::IsMember({"by name", "tsv", "csv"}))->capture_default_str();
  command->add_flag("--header", options->header, "the first line of a file of triples names its columns");
  command->add_option("--bad-lines", options->bad_lines, "fail, or skip and count malformed lines")->check(CLI::IsMember({"fail", "skip"}))->capture_default_str();
  command->add_option("--valid", options->split.valid, "share of a file's triples kept for validation")->capture_default_str();
  command->add_option("--test", options->split.test, "share of a file's triples kept for testing")->capture_default_str();
  command->add_option("--unseen", options->split.unseen_entities, "share of the entities kept out of training on purpose")->capture_default_str();
  command->add_option("--seed", options->split.seed, "of the split")->capture_default_str();
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] { import(*options); });
}

}  // namespace hasa
