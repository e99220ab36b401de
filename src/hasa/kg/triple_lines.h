#pragma once

#include <vector>

#include "hasa/kg/line_problems.h"
#include "hasa/kg/records.h"
#include "hasa/kg/triple.h"
#include "hasa/kg/vocabulary.h"

namespace hasa {

/// Reads the triples of one file with all cores, adding ids the vocabularies do not have in the order the
/// file names them, whatever the number of threads. Malformed lines go to `problems`. Throws data when the
/// file is empty; where all lines are malformed nothing is returned.
std::vector<Triple> read_triple_lines(const NamedText& file, RecordFormat format, bool header, Vocabulary& entities,
                                      Vocabulary& relations, LineProblems& problems);

}  // namespace hasa
