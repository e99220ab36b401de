#include "hasa/kg/import_graph.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"
#include "hasa/kg/read/numbered_folder.h"
#include "hasa/kg/read/split_folder.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/synthetic.h"
#include "hasa/kg/wordnet.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kWordnetDomain = "wordnet:", kSyntheticSize = "synthetic:";

ImportSource source_of_folder(const std::string& folder) {
  if (numbered_layout(folder)) return ImportSource::numbered;
  if (looks_like_benchmark(folder) || !looks_like_split_folder(folder)) return ImportSource::benchmark;
  return ImportSource::splits;
}

ImportSource source_of_one(const std::string& input) {
  std::error_code ignored;
  if (input == "-") return ImportSource::triples;
  if (fs::is_directory(input, ignored)) return source_of_folder(input);
  if (fs::exists(input, ignored)) return ImportSource::triples;
  if (input.starts_with(kSyntheticSize)) return ImportSource::synthetic;
  HASA_CHECK(input == "wordnet" || input.starts_with(kWordnetDomain), data,
             "there is no {}\nexpected a folder of train, valid and test files, files of triples, - for standard "
             "input, wordnet, wordnet:DOMAIN or synthetic:ENTITIES:TRIPLES",
             input);
  return ImportSource::wordnet;
}

Graph make_synthetic(std::string_view size, const SplitOptions& split) {
  constexpr std::uint64_t kFewest = 20, kMost = std::uint64_t{1} << 31;
  const std::size_t colon = std::min(size.find(':'), size.size());
  SyntheticOptions options;
  const std::size_t after = std::min(colon + 1, size.size());
  options.entities = number_in<std::uint64_t>(size.substr(0, colon)).value_or(0);
  options.triples = number_in<std::uint64_t>(size.substr(after)).value_or(0);
  HASA_CHECK(options.entities >= kFewest && options.triples >= options.entities && options.triples < kMost, config,
             "synthetic:{} cannot be generated\nexpected synthetic:ENTITIES:TRIPLES, as synthetic:1000:5000, "
             "with {} entities at least and no fewer triples",
             size, kFewest);
  options.relations = std::clamp<std::uint64_t>(options.entities / 10'000, 10, 500);
  options.groups = std::clamp<std::uint64_t>(options.entities / 50, 5, 1000);
  options.split = split;
  return synthetic_graph(options);
}

}  // namespace

ImportSource import_source(const std::vector<std::string>& inputs) {
  HASA_CHECK(!inputs.empty(), config, "there is nothing to import");
  const ImportSource first = source_of_one(inputs[0]);
  for (const std::string& input : inputs) {
    HASA_CHECK(inputs.size() == 1 || source_of_one(input) == ImportSource::triples, config,
               "{} must be the only input; several inputs must all be files of triples", input);
  }
  return first;
}

Graph import_graph(const std::vector<std::string>& inputs, ImportSource source, const TextFiles& texts,
                   const ReadTriplesOptions& options) {
  const std::string& input = inputs[0];
  switch (source) {
    case ImportSource::benchmark: return read_benchmark(input, options.import);
    case ImportSource::numbered: return read_numbered_folder(input, *numbered_layout(input), options.import);
    case ImportSource::splits: return read_split_folder(input, options.as, options.import);
    case ImportSource::synthetic:
      return make_synthetic(std::string_view(input).substr(kSyntheticSize.size()), options.split);
    case ImportSource::triples: return read_triples(inputs, texts, options);
    case ImportSource::wordnet: break;
  }
  WordnetOptions wordnet;
  wordnet.split = options.split;
  if (input.starts_with(kWordnetDomain)) wordnet.domain = input.substr(kWordnetDomain.size());
  return read_wordnet(kSystemWordnet, wordnet);
}

BadLines bad_lines_of(const std::string& word) {
  if (word == "fail") return BadLines::fail;
  if (word == "skip") return BadLines::skip;
  const auto most = number_in<std::uint64_t>(word);
  HASA_CHECK(most.has_value(), config, "--bad-lines is {}, expected fail, skip, or how many are allowed", word);
  return {*most};
}

char separator_of(const std::string& word) {
  static const std::map<std::string, char> kWords = {{"tab", '\t'},      {"\\t", '\t'}, {"comma", ','},
                                                     {"semicolon", ';'}, {"bar", '|'},  {"space", ' '}};
  if (const auto found = kWords.find(word); found != kWords.end()) return found->second;
  const bool usable = word.size() == 1 && word != "\"" && word != "\n" && word != "\r";
  HASA_CHECK(usable, config,
             "--separator is \"{}\", expected tab, comma, semicolon, bar, space or the character itself", word);
  return word[0];
}

}  // namespace hasa
