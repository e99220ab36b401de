#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hasa/kg/graph.h"
#include "hasa/kg/import_options.h"
#include "hasa/kg/records.h"

namespace hasa {

/// Reads a folder in the benchmarks' layout:
///
///   train.txt, valid.txt, test.txt   head<TAB>relation<TAB>tail     all three must be there
///   entities.tsv                     id<TAB>name<TAB>description    optional; name and description may be empty
///   relations.tsv                    id<TAB>words                   optional
///
/// UTF-8, with or without a byte-order mark, lines ending in LF or CRLF. Entities and relations are numbered
/// in the order of entities.tsv and relations.tsv, then in the order the triples name them. An id that the
/// triples name and the text file does not is a member all the same, without text; an id listed twice keeps
/// its first text; repeated triples stay. All of these are counted in the graph's audit.
///
/// Malformed lines of all files are gathered into one error of kind data, each as file:line.
Graph read_benchmark(const std::filesystem::path& folder, const ImportOptions& options = {});

/// Whether the folder has any of the three files of triples.
bool looks_like_benchmark(const std::filesystem::path& folder);

struct BenchmarkTexts {
  std::string source;
  NamedText train, valid, test;
  std::optional<NamedText> entities, relations;
};

/// The same, from memory.
Graph parse_benchmark(const BenchmarkTexts& texts, const ImportOptions& options = {});

}  // namespace hasa
