#include "hasa/kg/line_problems.h"

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"

namespace hasa {

RecordShape triple_shape(RecordFormat format) {
  return {format == RecordFormat::csv ? "head, relation and tail separated by commas"
                                      : "head, relation and tail separated by tabs",
          3,
          3,
          {"head", "relation", "tail"}};
}

std::string problem_of(const Record& record, const RecordShape& shape, bool valid_utf8) {
  const auto found = [&](const std::string& what) {
    return fmt::format("expected {}, found {}: \"{}\"", shape.expected, what, shown(record.raw, kShownOfALine));
  };
  if (!valid_utf8) {
    const std::size_t bad = find_invalid_utf8(record.raw);
    if (bad != std::string_view::npos)
      return fmt::format("expected UTF-8, found byte 0x{:02X} at byte {} of the line: \"{}\"",
                         static_cast<unsigned char>(record.raw[bad]), bad + 1, shown(record.raw, kShownOfALine));
  }
  if (record.bad_quoting != nullptr) return found(record.bad_quoting);
  if (record.raw.empty()) return fmt::format("expected {}, found an empty line", shape.expected);
  if (record.count < shape.least_fields || record.count > shape.most_fields)
    return found(fmt::format("{} field{}", record.count, record.count == 1 ? "" : "s"));
  for (std::size_t i = 0; i < shape.ids.size() && shape.ids[i] != nullptr; ++i) {
    if (record.fields[i].empty()) return found(fmt::format("an empty {}", shape.ids[i]));
  }
  return {};
}

void LineProblems::add(std::string_view file, std::uint64_t line, const std::string& problem) {
  if (++count_ <= kShown) shown_.push_back({std::string(file), line, problem});
}

void LineProblems::append(const LineProblems& piece, std::string_view file, std::uint64_t first_line) {
  for (const Problem& problem : piece.shown_) {
    if (shown_.size() < kShown) shown_.push_back({std::string(file), first_line + problem.line - 1, problem.what});
  }
  count_ += piece.count_;
}

Finding LineProblems::settle(BadLines policy) const {
  if (policy == BadLines::fail && count_ > 0) {
    std::string message;
    for (const Problem& problem : shown_)
      message += fmt::format("{}:{}: {}\n", problem.file, problem.line, problem.what);
    if (count_ > shown_.size()) message += fmt::format("and {} more\n", format_count(count_ - shown_.size()));
    throw Error(ErrorKind::data, message + "nothing was imported; --bad-lines skip imports the rest and counts them");
  }
  Finding finding;
  for (const Problem& problem : shown_) finding.add(fmt::format("{}:{}: {}", problem.file, problem.line, problem.what));
  finding.count = count_;
  return finding;
}

void check_not_empty(const NamedText& file, const char* expected) {
  HASA_CHECK(!without_byte_order_mark(file.content).empty(), data, "{} is empty, expected lines of {}", file.name,
             expected);
}

}  // namespace hasa
