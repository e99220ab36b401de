#pragma once

#include <string>
#include <string_view>

namespace hasa {

/// What a file of triples is written in.
enum class InputFormat {
  automatic,  ///< by the name's ending, else by the first lines
  tsv,
  csv,
  jsonl,
  ntriples,  ///< N-Triples and N-Quads alike
  turtle,
  trig,
  kgtk,
};

/// By the ending of the name, before any .gz or .zst; automatic where it says nothing, as .txt does.
InputFormat format_by_name(std::string_view name);
/// Whether that says separated fields, or nothing: what tables of texts are.
bool is_separated(std::string_view name);
/// By the first lines: JSON and RDF are told by how they begin, all else is separated fields.
InputFormat format_by_look(std::string_view beginning);

/// "tsv", "csv", ...: what --format takes.
const char* to_string(InputFormat format);
/// Throws config, naming what there is.
InputFormat input_format_of(std::string_view word);

}  // namespace hasa
