#pragma once

#include <filesystem>
#include <optional>

#include "hasa/kg/graph.h"
#include "hasa/kg/import_options.h"
#include "hasa/kg/records.h"
#include "hasa/kg/split.h"

namespace hasa {

enum class TripleFormat {
  by_name,  ///< csv for a file named *.csv, else tsv
  tsv,      ///< fields end at tabs, lines at LF or CRLF; no quoting
  csv,      ///< RFC 4180: commas; fields in double quotes may hold commas, newlines and doubled quotes
};

struct ReadTriplesOptions {
  TripleFormat format = TripleFormat::by_name;
  bool header = false;  ///< the first line names the columns, and is left out
  ImportOptions import;
  SplitOptions split;
};

/// Reads one file of triples (head, relation, tail) and deals it out into three splits by a seed. Repeated
/// triples are left out first, so that none is in two splits. Entities and relations are numbered in the
/// order they appear.
///
/// `text`, if not empty, is a file of `id<TAB>name<TAB>description` or `id<TAB>description` lines. Ids that
/// no triple names are left out and counted; so are entities without a line counted.
/// `relation_text` is a file of `id<TAB>words` lines, with the same rules.
///
/// 20 million triples over 5 million entities take some seconds and about 30 bytes a triple of memory
/// beyond the names; the file itself is mapped, and parsed by all cores.
Graph read_triples(const std::filesystem::path& file, const std::filesystem::path& text = {},
                   const ReadTriplesOptions& options = {}, const std::filesystem::path& relation_text = {});

/// The same, from memory.
Graph parse_triples(const NamedText& triples, const std::optional<NamedText>& text, const ReadTriplesOptions& options,
                    const std::optional<NamedText>& relation_text = {});

}  // namespace hasa
