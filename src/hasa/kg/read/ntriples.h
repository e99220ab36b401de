#pragma once

#include <string_view>

#include "hasa/kg/read/rdf_statements.h"

namespace hasa {

/// Reads a piece of an N-Triples or N-Quads file, cut at line ends; a graph's name is passed over. Lines that are
/// neither a statement nor blank nor a comment go to the piece's problems.
void parse_ntriples(std::string_view piece, const RdfTexts& texts, std::string_view blank_scope, Statements& into);

}  // namespace hasa
