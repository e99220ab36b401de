#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/read/byte_source.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/kg/read/input_format.h"
#include "hasa/kg/read/iri_names.h"
#include "hasa/kg/read/sniff.h"

namespace hasa {

struct StatementOptions {
  InputFormat format = InputFormat::automatic;
  DelimitedWishes fields;                       ///< for separated fields
  std::vector<std::string> languages = {"en"};  ///< languages of texts in RDF and KGTK, best first
};

/// Reads files of triples in any format, one after the other, into one gatherer.
class StatementReader {
 public:
  StatementReader(const StatementOptions& options, GraphGatherer& gatherer);

  /// `blank_scope` tells the file's blank nodes from those of others. What was detected is logged. Throws data
  /// when the file is empty.
  void read(ByteSource& source, Split split, std::string_view blank_scope = "");
  /// The same for its texts alone: its triples go.
  void read_texts(ByteSource& source);

  /// Gives entities and relations that RDF left without a label the short form of their IRI; returns how many
  /// entities.
  Finding name_after_iris();

 private:
  void read_fields(ByteSource& source, Blocks& blocks, Split split, DelimitedWishes wishes);

  StatementOptions options_;
  RdfTexts texts_;
  Prefixes prefixes_;
  GraphGatherer& gatherer_;
  bool rdf_ = false;  // whether any file was
};

/// What a file is read as: what the options say, else its name, else its first lines.
InputFormat format_of_file(const StatementOptions& options, const std::string& name, std::string_view beginning);

}  // namespace hasa
