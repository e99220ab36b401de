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

enum class RecordFormat {
  tsv,  ///< fields end at tabs, records at LF or CRLF
  csv,  ///< RFC 4180: fields end at commas; a field in double quotes may hold commas, newlines and ""
};

struct Record {
  static constexpr std::size_t kMostFields = 4;  // one more than any file here has

  std::uint64_t line = 0;  ///< where it begins, from 1
  std::string_view raw;    ///< as it stands, without its line end
  std::size_t count = 0;   ///< fields found, of which the first kMostFields are kept
  std::array<std::string_view, kMostFields> fields;
  const char* bad_quoting = nullptr;  ///< what is wrong with the quotes, if anything is
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

 private:
  void next_tsv(Record& record);
  void next_csv(Record& record);
  void take_line(Record& record);

  std::string_view rest_;
  RecordFormat format_;
  std::uint64_t line_;
  std::deque<std::string> unquoted_;  // fields that held "", without the doubling
};

/// Cuts a text between records into pieces of about so many bytes, to be read side by side.
std::vector<std::string_view> split_between_records(std::string_view content, RecordFormat format, std::size_t bytes);

/// How many characters of a line that cannot be read a message shows.
constexpr std::size_t kShownOfALine = 60;

/// Without the mark that some editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view content);

}  // namespace hasa
