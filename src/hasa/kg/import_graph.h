#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/read_triples.h"

namespace hasa {

/// Where a graph comes from, told by what the user names.
enum class ImportSource {
  benchmark,  ///< a folder of train.txt, valid.txt and test.txt
  numbered,   ///< a folder of OpenKE, LibKGE or PyKEEN
  splits,     ///< a folder of train.*, valid.* and test.* in any format
  wordnet,    ///< "wordnet" or "wordnet:DOMAIN"
  synthetic,  ///< "synthetic:ENTITIES:TRIPLES"
  triples,    ///< files of triples, or standard input
};

/// Throws data when there is no such thing, naming what there could be; config when folders are mixed with others.
ImportSource import_source(const std::vector<std::string>& inputs);

/// Reads the graph. Texts and the split's options are for sources that have none of their own.
Graph import_graph(const std::vector<std::string>& inputs, ImportSource source, const TextFiles& texts,
                   const ReadTriplesOptions& options);

/// "fail", "skip", or how many malformed lines are allowed. Throws config.
BadLines bad_lines_of(const std::string& word);
/// "tab", "comma", "semicolon", "bar", "space", or the character itself. Throws config.
char separator_of(const std::string& word);

}  // namespace hasa
