#include "hasa/kg/line_problems.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

/// Where field i of the record stands; the end of the line when there is none.
std::size_t place_of(const Record& record, std::size_t i) {
  if (i >= std::min(record.count, Record::kMostFields)) return record.raw.size();
  const char* const at = record.fields[i].data();
  // A field with doubled quotes has a copy of its own, somewhere else.
  const bool inside = at >= record.raw.data() && at <= record.raw.data() + record.raw.size();
  return inside ? static_cast<std::size_t>(at - record.raw.data()) : record.raw.size();
}

/// A line full of another separator is read as one field: say what to do about it.
std::string advice(const Record& record, std::size_t wanted) {
  if (record.count != 1) return "";
  for (const char separator : {'\t', ',', ';', '|'}) {
    if (std::count(record.raw.begin(), record.raw.end(), separator) + 1 == static_cast<std::ptrdiff_t>(wanted))
      return fmt::format("; --separator {} would read it",
                         separator == '\t' ? std::string("tab") : fmt::format("'{}'", separator));
  }
  return "";
}

}  // namespace

RecordShape triple_shape(const RecordFormat& format) {
  return {fmt::format("head, relation and tail separated by {}", separator_words(format)),
          3,
          3,
          {"head", "relation", "tail"}};
}

std::uint64_t column_of(std::string_view line, std::size_t at) {
  const auto begins_character = [](char c) { return (c & 0xC0) != 0x80; };
  return 1 +
         static_cast<std::uint64_t>(std::count_if(
             line.begin(), line.begin() + static_cast<std::ptrdiff_t>(std::min(at, line.size())), begins_character));
}

LineProblem problem_of_utf8(std::string_view line) {
  const std::size_t bad = find_invalid_utf8(line);
  if (bad == std::string_view::npos) return {};
  return {fmt::format("expected UTF-8, found byte 0x{:02X} at byte {} of the line: \"{}\"",
                      static_cast<unsigned char>(line[bad]), bad + 1, shown(line, kShownOfALine)),
          column_of(line, bad)};
}

LineProblem problem_of(const Record& record, const RecordShape& shape, bool valid_utf8) {
  const auto found = [&](std::size_t at, const std::string& what) {
    return LineProblem{
        fmt::format("expected {}, found {}: \"{}\"", shape.expected, what, shown(record.raw, kShownOfALine)),
        column_of(record.raw, at)};
  };
  if (!valid_utf8) {
    if (LineProblem problem = problem_of_utf8(record.raw); !problem.what.empty()) return problem;
  }
  if (record.bad_quoting != nullptr) return found(record.bad_at, record.bad_quoting);
  if (record.raw.empty()) return {fmt::format("expected {}, found an empty line", shape.expected), 1};
  if (record.count < shape.least_fields || record.count > shape.most_fields) {
    LineProblem problem = found(place_of(record, shape.most_fields),
                                fmt::format("{} field{}", record.count, record.count == 1 ? "" : "s"));
    problem.what += advice(record, shape.most_fields);
    return problem;
  }
  for (std::size_t i = 0; i < shape.ids.size() && shape.ids[i] != nullptr; ++i) {
    if (record.fields[i].empty()) return found(place_of(record, i), fmt::format("an empty {}", shape.ids[i]));
  }
  return {};
}

void LineProblems::add(std::string_view file, std::uint64_t line, const LineProblem& problem) {
  if (++count_ <= kShown) shown_.push_back({std::string(file), line, problem});
}

void LineProblems::append(const LineProblems& piece, std::string_view file, std::uint64_t first_line) {
  for (const Located& located : piece.shown_) {
    if (shown_.size() < kShown) shown_.push_back({std::string(file), first_line + located.line - 1, located.problem});
  }
  count_ += piece.count_;
}

std::string LineProblems::words(const Located& located) {
  const std::string place = fmt::format("{}:{}", located.file, located.line);
  return located.problem.column == 0 ? fmt::format("{}: {}", place, located.problem.what)
                                     : fmt::format("{}:{}: {}", place, located.problem.column, located.problem.what);
}

Finding LineProblems::settle(const BadLines& policy) const {
  if (count_ > policy.allowed) {
    std::string message;
    for (const Located& located : shown_) message += words(located) + "\n";
    if (count_ > shown_.size()) message += fmt::format("and {} more\n", format_count(count_ - shown_.size()));
    if (policy.allowed > 0)
      message += fmt::format("that is more than the {} malformed lines allowed; ", format_count(policy.allowed));
    throw Error(ErrorKind::data, message + "nothing was imported; --bad-lines skip imports the rest and counts them");
  }
  Finding finding;
  for (const Located& located : shown_) finding.add(words(located));
  finding.count = count_;
  return finding;
}

void check_not_empty(const NamedText& file, const std::string& expected) {
  HASA_CHECK(!without_byte_order_mark(file.content).empty(), data, "{} is empty, expected lines of {}", file.name,
             expected);
}

void check_split(const std::string& file, Split split, std::size_t triples, std::uint64_t bad_lines) {
  if (triples > 0) return;
  HASA_CHECK(split != Split::train && bad_lines == 0, data, "{} has no valid line", file);
  log_warning("{} contains no triples: the graph has none in {}", file, to_string(split));
}

}  // namespace hasa
