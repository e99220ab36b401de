#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "hasa/kg/read/rdf_statements.h"
#include "hasa/kg/read/statements.h"
#include "hasa/kg/read/time_value.h"
#include "hasa/kg/records.h"

namespace hasa {

/// How to read a file of separated fields: detected (sniff.h), or as the user says.
struct Delimited {
  RecordFormat format;
  bool header = false;  ///< the first record names the columns
  bool kgtk = false;    ///< values are written as KGTK has them: 'text'@en, "text", symbols
  std::size_t head = 0, relation = 1, tail = 2;
  std::optional<std::size_t> time;
  TimeForm time_form = TimeForm::number;
  std::size_t fields = 3;  ///< of every record
};

/// Reads a piece of the file, cut between records. `first`: the piece begins with the header, if there is one.
void parse_delimited(std::string_view piece, bool first, const Delimited& as, const RdfTexts& texts, Statements& into);

}  // namespace hasa
