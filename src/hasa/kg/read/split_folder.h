#pragma once

#include <filesystem>

#include "hasa/kg/graph.h"
#include "hasa/kg/import_options.h"
#include "hasa/kg/read/statement_file.h"

namespace hasa {

/// Whether the folder has files called train, valid and test, in any format a file of triples may have: train.nt.gz,
/// valid.jsonl, ... "validation" and "dev" do as well for valid.
bool looks_like_split_folder(const std::filesystem::path& folder);

/// Reads such a folder; the three may differ in format. Further files of texts, which are read first:
///
///   entities.tsv, relations.tsv (or .csv)     as in a benchmark folder: what they list is a member
///   texts.*, entities.jsonl, relations.jsonl  JSON Lines, RDF or KGTK
///
/// Blank nodes of one label are one entity in all of the folder's files.
Graph read_split_folder(const std::filesystem::path& folder, const StatementOptions& as = {},
                        const ImportOptions& options = {});

}  // namespace hasa
