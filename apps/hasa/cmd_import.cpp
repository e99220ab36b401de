#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/number_in.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"
#include "hasa/kg/synthetic.h"
#include "hasa/kg/wordnet.h"
#include "output.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  std::string input, out, text, relation_text;
  std::string format = "auto", bad_lines = "fail";
  bool header = false, json = false;
  SplitOptions split;
};

constexpr std::string_view kWordnetDomain = "wordnet:", kSyntheticSize = "synthetic:";

enum class Source { benchmark, wordnet, synthetic, triples };

Source source_of(const std::string& input) {
  std::error_code ignored;
  if (fs::is_directory(input, ignored)) return Source::benchmark;
  if (fs::exists(input, ignored)) return Source::triples;
  if (input.starts_with(kSyntheticSize)) return Source::synthetic;
  HASA_CHECK(input == "wordnet" || input.starts_with(kWordnetDomain), data,
             "there is no {}\nexpected a benchmark folder, a file of triples, wordnet, wordnet:DOMAIN or "
             "synthetic:ENTITIES:TRIPLES",
             input);
  return Source::wordnet;
}

/// ImportArguments that were given and would do nothing are a mistake the user wants to hear of.
void check_given(const CLI::App& command, Source source) {
  static const std::vector<std::string> of_a_file{"--text", "--relation-text", "--format", "--header", "--bad-lines"};
  static const std::map<Source, std::pair<std::string, std::vector<std::string>>> idle{
      {Source::triples, {"", {}}},
      {Source::benchmark,
       {"a benchmark folder has its own splits and texts",
        {"--text", "--relation-text", "--format", "--header", "--valid", "--test", "--unseen", "--seed"}}},
      {Source::wordnet, {"WordNet has its own texts", of_a_file}},
      {Source::synthetic, {"a made-up graph has its own texts", of_a_file}}};
  const auto& [reason, names] = idle.at(source);
  for (const std::string& name : names) {
    HASA_CHECK(command.count(name) == 0, config, "{} does nothing here: {}; it is for a file of triples", name, reason);
  }
}

Graph make_synthetic(std::string_view size, const SplitOptions& split) {
  constexpr std::uint64_t kFewest = 20, kMost = std::uint64_t{1} << 31;
  const std::size_t colon = std::min(size.find(':'), size.size());
  SyntheticOptions options;
  const std::size_t after = std::min(colon + 1, size.size());
  options.entities = number_in<std::uint64_t>(size.substr(0, colon)).value_or(0);
  options.triples = number_in<std::uint64_t>(size.substr(after)).value_or(0);
  HASA_CHECK(options.entities >= kFewest && options.triples >= options.entities && options.triples < kMost, config,
             "synthetic:{} is no graph that can be made\nexpected synthetic:ENTITIES:TRIPLES, as synthetic:1000:5000, "
             "with {} entities at least and no fewer triples",
             size, kFewest);
  options.relations = std::clamp<std::uint64_t>(options.entities / 10'000, 10, 500);
  options.groups = std::clamp<std::uint64_t>(options.entities / 50, 5, 1000);
  options.split = split;
  return synthetic_graph(options);
}

Graph read(const ImportArguments& options, Source source) {
  const BadLines bad_lines = options.bad_lines == "skip" ? BadLines::skip : BadLines::fail;
  if (source == Source::benchmark) return read_benchmark(options.input, {bad_lines});
  if (source == Source::wordnet) {
    WordnetOptions wordnet;
    wordnet.split = options.split;
    if (options.input.starts_with(kWordnetDomain)) wordnet.domain = options.input.substr(kWordnetDomain.size());
    return read_wordnet(kSystemWordnet, wordnet);
  }
  if (source == Source::synthetic)
    return make_synthetic(std::string_view(options.input).substr(kSyntheticSize.size()), options.split);
  ReadTriplesOptions triples;
  triples.format = options.format == "tsv"   ? TripleFormat::tsv
                   : options.format == "csv" ? TripleFormat::csv
                                             : TripleFormat::by_name;
  triples.header = options.header;
  triples.import.bad_lines = bad_lines;
  triples.split = options.split;
  return read_triples(options.input, options.text, triples, options.relation_text);
}

void import(const ImportArguments& options, const CLI::App& command) {
  HASA_CHECK(!options.out.empty(), config, "--out is empty, expected a folder to write");
  const Source source = source_of(options.input);
  check_given(command, source);
  const Graph graph = read(options, source);
  for (const Split split : {Split::valid, Split::test}) {
    const double share = split == Split::valid ? options.split.valid : options.split.test;
    if (source != Source::benchmark && share > 0 && graph.triples(split).empty()) {
      log_warning("no triples were left for {}: each entity and relation keeps one in train", to_string(split));
    }
  }
  graph.save(options.out);
  log_info("wrote {}", options.out);
  print(options.json ? to_json(graph.audit()) + "\n" : to_table(graph.audit()));
}

}  // namespace

void add_import(CLI::App& program) {
  CLI::App* command = program.add_subcommand("import", "read a graph and its texts, and write it in binary form");
  const auto options = std::make_shared<ImportArguments>();
  command
      ->add_option(
          "input", options->input,
          "a benchmark folder (train.txt, valid.txt, test.txt, entities.tsv, relations.tsv), a TSV or CSV file "
          "of triples, wordnet or wordnet:DOMAIN, such as wordnet:animal, for the system's WordNet, or "
          "synthetic:ENTITIES:TRIPLES for one made up")
      ->required();
  command->add_option("--out", options->out, "folder to write; an older graph there is replaced")->required();
  command->add_option("--text", options->text,
                      "for a file of triples: id, name, description of entities, tab-separated");
  command->add_option("--relation-text", options->relation_text, "for a file of triples: id, words of relations");
  command->add_option("--format", options->format, "of a file of triples; auto: by its name")
      ->check(CLI::IsMember({"auto", "tsv", "csv"}))
      ->capture_default_str();
  command->add_flag("--header", options->header, "the first line of a file of triples names its columns");
  command->add_option("--bad-lines", options->bad_lines, "fail, or skip and count malformed lines")
      ->check(CLI::IsMember({"fail", "skip"}))
      ->capture_default_str();
  command->add_option("--valid", options->split.valid, "share of a file's triples kept for validation")
      ->capture_default_str();
  command->add_option("--test", options->split.test, "share of a file's triples kept for testing")
      ->capture_default_str();
  command
      ->add_option("--unseen", options->split.unseen_entities, "share of the entities kept out of training on purpose")
      ->capture_default_str();
  command->add_option("--seed", options->split.seed, "of the split")->capture_default_str();
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options, command] { import(*options, *command); });
}

}  // namespace hasa
