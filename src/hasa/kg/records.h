#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// A file's content, and the name that messages call it by.
struct NamedText {
  std::string name;
  std::string_view content;
};

/// How fields and records end: at the separator, and at LF or CRLF. With quotes, a field in double quotes may hold
/// separators, line ends and "" (RFC 4180).
struct RecordFormat {
  char separator = '\t';
  bool quotes = false;

  bool operator==(const RecordFormat&) const = default;
  static const RecordFormat tsv, csv;
};
inline const RecordFormat RecordFormat::tsv = {'\t', false};
inline const RecordFormat RecordFormat::csv = {',', true};
/// "tabs", "commas", ...
const char* separator_words(const RecordFormat& format);

struct Record {
  static constexpr std::size_t kMostFields = 32;  // files with a header may have many columns

  std::uint64_t line = 0;  ///< where it begins, from 1
  std::string_view raw;    ///< as it stands, without its line end
  std::size_t count = 0;   ///< fields found, of which the first kMostFields are kept
  std::array<std::string_view, kMostFields> fields;
  const char* bad_quoting = nullptr;  ///< what is wrong with the quotes, if anything is
  std::size_t bad_at = 0;             ///< where in `raw`
  bool unclosed = false;              ///< the quotes do not close before the text ends
};

/// Steps through the records of a text. A CSV record with bad quoting ends at the end of its first line, so
/// that one stray quote costs one line and not the rest of the file.
class RecordReader {
 public:
  RecordReader(std::string_view content, RecordFormat format, std::uint64_t first_line = 1)
      : rest_(content), format_(format), line_(first_line) {}

  /// False at the end. Fields stay valid while the reader and the content live.
  bool next(Record& record);

  /// The number of the line after the last record read.
  std::uint64_t line() const { return line_; }
  /// What is left to read.
  std::string_view rest() const { return rest_; }

 private:
  void next_plain(Record& record);
  void next_quoted(Record& record);
  void take_line(Record& record);
  void take_bad_line(Record& record, std::size_t at, const char* fault);

  std::string_view rest_;
  RecordFormat format_;
  std::uint64_t line_;
  std::deque<std::string> unquoted_;  // fields that held "", without the doubling
};

/// Cuts a text between records into pieces of about so many bytes, to be read side by side.
std::vector<std::string_view> split_between_records(std::string_view content, RecordFormat format, std::size_t bytes);

/// Nothing but spaces. Editors leave such lines at the end of a file; they mean nothing.
bool is_blank(const Record& record);

/// How many characters of a line that cannot be read a message shows.
constexpr std::size_t kShownOfALine = 60;

/// Without the mark that some editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view content);

}  // namespace hasa
