#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/audit.h"
#include "hasa/kg/import_options.h"
#include "hasa/kg/records.h"

namespace hasa {

/// What the records of a kind of file must look like.
struct RecordShape {
  const char* expected;  ///< "head, relation and tail separated by tabs"
  std::size_t least_fields, most_fields;
  std::array<const char*, 3> ids;  ///< names of the leading fields that may not be empty; null past the last
};

RecordShape triple_shape(RecordFormat format);

/// "" for a good record, else what was expected and what was found. `valid_utf8`: known to be.
std::string problem_of(const Record& record, const RecordShape& shape, bool valid_utf8);

/// Malformed lines, gathered over all files of an import: the first few, and how many in all.
class LineProblems {
 public:
  static constexpr std::size_t kShown = 20;

  void add(std::string_view file, std::uint64_t line, const std::string& problem);
  /// Of a piece of the file that begins at this line; counts lines from 1.
  void append(const LineProblems& piece, std::string_view file, std::uint64_t first_line);

  std::uint64_t count() const { return count_; }
  /// Under BadLines::fail any problem is an error that names them all; under skip they become a finding.
  Finding settle(BadLines policy) const;

 private:
  struct Problem {
    std::string file;
    std::uint64_t line;
    std::string what;
  };
  std::vector<Problem> shown_;
  std::uint64_t count_ = 0;
};

/// Throws data when there is nothing in the file.
void check_not_empty(const NamedText& file, const char* expected);

}  // namespace hasa
