#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/import_options.h"
#include "hasa/kg/read/statement_file.h"
#include "hasa/kg/records.h"
#include "hasa/kg/split.h"

namespace hasa {

struct ReadTriplesOptions {
  StatementOptions as;
  ImportOptions import;
  SplitOptions split;
};

/// Files of texts, each of `id<TAB>name<TAB>description` or `id<TAB>description` lines for entities, `id<TAB>words`
/// for relations; or, for entities, of JSON Lines or RDF, of which the texts alone are taken.
struct TextFiles {
  std::vector<std::string> entities, relations;
};

/// Reads files of triples in any format ("-": standard input) as one graph, and deals it out into three splits by a
/// seed. Repeated triples are left out first, so that none is in two splits. Entities and relations are numbered in
/// the order they appear.
///
/// Texts of ids that no triple names are left out and counted; so are entities without a line counted. Malformed lines
/// of all files are gathered into one error of kind data, each as file:line:column.
///
/// Files are read block by block and parsed by all cores: memory holds the graph, about 30 bytes a triple beyond the
/// names while it is split, and never the files.
Graph read_triples(const std::vector<std::string>& files, const TextFiles& texts = {},
                   const ReadTriplesOptions& options = {});

/// The same of one file from memory.
Graph parse_triples(const NamedText& triples, const std::optional<NamedText>& text = {},
                    const ReadTriplesOptions& options = {}, const std::optional<NamedText>& relation_text = {});

}  // namespace hasa
