#pragma once

#include <string_view>

#include "hasa/kg/read/byte_source.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/kg/read/rdf_statements.h"

namespace hasa {

/// Whether this program was built with serd, which reads Turtle.
bool reads_turtle();

/// Reads a Turtle or TriG file from beginning to end, on one core; prefixes it declares are used for display. Throws
/// data at the first mistake, since what follows it cannot be told, and unavailable where the program lacks serd.
void read_turtle(ByteSource& source, bool trig, const RdfTexts& texts, std::string_view blank_scope, Split split,
                 Prefixes& prefixes, GraphGatherer& gatherer);

}  // namespace hasa
