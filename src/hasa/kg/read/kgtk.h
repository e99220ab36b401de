#pragma once

#include <string>
#include <string_view>

#include "hasa/kg/read/rdf_statements.h"
#include "hasa/kg/read/statements.h"

namespace hasa {

/// A value as KGTK writes it in a column.
struct KgtkValue {
  enum class Kind { symbol, text, other };  // other: numbers, dates, places, truth values
  Kind kind = Kind::symbol;
  std::string text;      ///< of a text, without quotes and escapes
  std::string language;  ///< of 'text'@en
};

/// Nothing but what the first character says: a malformed text is one of kind other.
KgtkValue kgtk_value(std::string_view field);
/// The text as KGTK writes it: 'text'@language, or "text" where the language is "".
std::string kgtk_text(std::string_view text, std::string_view language);
/// Whether an id can stand in a column as a symbol, and come back as one.
bool is_kgtk_symbol(std::string_view id);

/// Adds one edge: a triple, a text (label, description), or a value that is left out.
void add_kgtk_edge(std::string_view node1, std::string_view label, std::string_view node2, const RdfTexts& texts,
                   Statements& into);

}  // namespace hasa
