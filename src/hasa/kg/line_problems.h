#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/audit.h"
#include "hasa/kg/import_options.h"
#include "hasa/kg/records.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// What the records of a kind of file must look like.
struct RecordShape {
  std::string expected;  ///< "head, relation and tail separated by tabs"
  std::size_t least_fields, most_fields;
  std::array<const char*, 3> ids;  ///< names of the leading fields that may not be empty; null past the last
};

RecordShape triple_shape(const RecordFormat& format);

/// What is wrong with a line, and where in it.
struct LineProblem {
  std::string what;
  std::uint64_t column = 0;  ///< in characters from 1; 0: the line as a whole
};

/// Nothing for a good record, else what was expected and what was found. `valid_utf8`: known to be.
LineProblem problem_of(const Record& record, const RecordShape& shape, bool valid_utf8);
/// Of a line's bytes, before anything else is asked of them.
LineProblem problem_of_utf8(std::string_view line);
/// The column of a byte of the line.
std::uint64_t column_of(std::string_view line, std::size_t at);

/// Malformed lines, gathered over all files of an import: the first few, and how many in all.
class LineProblems {
 public:
  static constexpr std::size_t kShown = 20;

  void add(std::string_view file, std::uint64_t line, const LineProblem& problem);
  /// Of a piece of the file that begins at this line; counts lines from 1.
  void append(const LineProblems& piece, std::string_view file, std::uint64_t first_line);

  std::uint64_t count() const { return count_; }
  /// More problems than allowed are an error that lists the first of them; fewer become a finding.
  Finding settle(const BadLines& policy) const;

 private:
  struct Located {
    std::string file;
    std::uint64_t line;
    LineProblem problem;
  };
  static std::string words(const Located& located);

  std::vector<Located> shown_;
  std::uint64_t count_ = 0;
};

/// Throws data when there is nothing in the file.
void check_not_empty(const NamedText& file, const std::string& expected);

/// Of a split that a folder has a file for. Throws data where training has no triple, and where valid or test has
/// lines, but no good one; a file of valid or test without any line leaves its split empty, with a warning.
void check_split(const std::string& file, Split split, std::size_t triples, std::uint64_t bad_lines);

}  // namespace hasa
