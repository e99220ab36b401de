#pragma once

#include <filesystem>
#include <string_view>

#include "hasa/kg/graph.h"

namespace hasa {

/// What a graph can be written as: always a folder of three splits and their texts, which hasa import reads back.
enum class ExportFormat {
  benchmark,  ///< train.txt, valid.txt, test.txt, entities.tsv, relations.tsv
  tsv,        ///< train.tsv, ...: the same with another ending
  csv,        ///< with headers and quotes (RFC 4180)
  jsonl,
  ntriples,  ///< and texts.nt: rdfs:label and rdfs:comment
  turtle,
  kgtk,
  openke,
  libkge,
  pykeen,
};

/// Throws config, naming what there is.
ExportFormat export_format_of(std::string_view word);

/// The folder appears whole or not at all; one that is there and not empty is refused. Throws data where the format
/// cannot hold an id (a line break in TSV), naming one that can. Tabs and line ends in texts become spaces where the
/// format has no way to write them; ids that RDF and KGTK cannot hold are wrapped, and unwrapped by hasa import.
void export_graph(const Graph& graph, const std::filesystem::path& folder, ExportFormat format);

}  // namespace hasa
