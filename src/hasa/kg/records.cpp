#include "hasa/kg/records.h"

#include <algorithm>
#include <cstring>

namespace hasa {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

void keep(Record& record, std::string_view field) {
  if (record.count < Record::kMostFields) record.fields[record.count] = field;
  ++record.count;
}

/// What follows a field that ended at `at`.
bool ends_record(std::string_view text, std::size_t at) {
  return at == text.size() || text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] == '\n'));
}

struct QuotedField {
  std::size_t end = kNone;  // of the closing quote; none: never closed
  bool doubled = false;     // holds ""
};

/// From an opening quote at `at`.
QuotedField find_closing_quote(std::string_view text, std::size_t at) {
  QuotedField field;
  for (std::size_t from = at + 1;;) {
    const std::size_t quote = text.find('"', from);
    if (quote == kNone) return field;
    if (quote + 1 == text.size() || text[quote + 1] != '"') {
      field.end = quote;
      return field;
    }
    field.doubled = true;
    from = quote + 2;
  }
}

std::string without_doubling(std::string_view quoted) {
  std::string text;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    text += quoted[i];
    if (quoted[i] == '"') ++i;
  }
  return text;
}

}  // namespace

bool RecordReader::next(Record& record) {
  if (rest_.empty()) return false;
  record.line = line_;
  record.count = 0;
  record.bad_quoting = nullptr;
  record.unclosed = false;
  if (!format_.quotes) {
    next_plain(record);
  } else {
    next_quoted(record);
  }
  return true;
}

/// The record is one line; moves past it.
void RecordReader::take_line(Record& record) {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  record.raw = rest_.substr(0, end);
  if (!record.raw.empty() && record.raw.back() == '\r') record.raw.remove_suffix(1);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
}

void RecordReader::take_bad_line(Record& record, std::size_t at, const char* fault) {
  record.bad_quoting = fault;
  take_line(record);
  record.bad_at = std::min(at, record.raw.size());  // a quoted field before it may have gone over several lines
}

void RecordReader::next_plain(Record& record) {
  take_line(record);
  const char* at = record.raw.data();
  const char* const end = at + record.raw.size();
  while (const void* found =
             at == end ? nullptr : std::memchr(at, format_.separator, static_cast<std::size_t>(end - at))) {
    const auto* stop = static_cast<const char*>(found);
    keep(record, {at, static_cast<std::size_t>(stop - at)});
    at = stop + 1;
  }
  keep(record, {at, static_cast<std::size_t>(end - at)});
}

void RecordReader::next_quoted(Record& record) {
  const char ends[] = {format_.separator, '\n', '"', '\0'};
  std::size_t at = 0;
  for (;; ++at) {  // past the separator
    if (at < rest_.size() && rest_[at] == '"') {
      const QuotedField field = find_closing_quote(rest_, at);
      if (field.end == kNone) {
        record.unclosed = true;
        return take_bad_line(record, at, "a quote that is never closed");
      }
      const std::string_view inside = rest_.substr(at + 1, field.end - at - 1);
      at = field.end + 1;
      if (!ends_record(rest_, at) && rest_[at] != format_.separator) {
        return take_bad_line(record, at, "text after a closing quote");
      }
      keep(record, field.doubled ? std::string_view(unquoted_.emplace_back(without_doubling(inside))) : inside);
    } else {
      const std::size_t start = at;
      at = std::min(rest_.find_first_of(ends, at), rest_.size());
      if (at < rest_.size() && rest_[at] == '"') {
        return take_bad_line(record, at, "a quote inside a field without quotes");
      }
      const bool carriage_return = at > start && rest_[at - 1] == '\r' && (at == rest_.size() || rest_[at] == '\n');
      if (carriage_return) --at;
      keep(record, rest_.substr(start, at - start));
    }
    if (ends_record(rest_, at)) break;
  }
  record.raw = rest_.substr(0, at);
  line_ += 1 + static_cast<std::uint64_t>(std::count(record.raw.begin(), record.raw.end(), '\n'));
  if (at < rest_.size() && rest_[at] == '\r') ++at;
  rest_.remove_prefix(std::min(at + 1, rest_.size()));
}

std::vector<std::string_view> split_between_records(std::string_view content, RecordFormat format, std::size_t bytes) {
  std::vector<std::string_view> pieces;
  if (format.quotes) {
    // Whether a line end is inside quotes depends on all that is before it, so the text is read through.
    RecordReader reader(content, format);
    Record record;
    const char* start = content.data();
    while (reader.next(record)) {
      const char* const begin = record.raw.data();
      if (static_cast<std::size_t>(begin - start) < bytes) continue;
      pieces.emplace_back(start, static_cast<std::size_t>(begin - start));
      start = begin;
    }
    if (start != content.data() + content.size())
      pieces.emplace_back(start, static_cast<std::size_t>(content.data() + content.size() - start));
    return pieces;
  }
  while (!content.empty()) {
    const std::size_t line_end = content.size() > bytes ? content.find('\n', bytes) : kNone;
    const std::size_t size = line_end == kNone ? content.size() : line_end + 1;
    pieces.push_back(content.substr(0, size));
    content.remove_prefix(size);
  }
  return pieces;
}

bool is_blank(const Record& record) {
  return record.bad_quoting == nullptr && record.raw.find_first_not_of(' ') == kNone;
}

const char* separator_words(const RecordFormat& format) {
  switch (format.separator) {
    case ',': return "commas";
    case ';': return "semicolons";
    case '|': return "bars";
    case ' ': return "spaces";
    default: return "tabs";
  }
}

std::string_view without_byte_order_mark(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  return content;
}

}  // namespace hasa
