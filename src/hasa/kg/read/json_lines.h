#pragma once

#include <string_view>

#include "hasa/kg/read/statements.h"

namespace hasa {

/// Reads a piece of a file with one JSON object a line, cut at line ends:
///
///   {"head": "dog", "relation": "hypernym", "tail": "canine"}       a triple; "time" may be a number
///   {"entity": "dog", "name": "dog", "description": "..."}          an entity, with texts or without
///   {"relation": "hypernym", "text": "is a kind of"}                a relation
///
/// subject, predicate and object, source and target, from and to, h, r and t do as well, id for entity, label for name.
/// Ids are strings or whole numbers; further members are passed over.
void parse_json_lines(std::string_view piece, Statements& into);

}  // namespace hasa
