#include "hasa/kg/text_lines.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

RecordShape shape_of(TextLayout layout, RecordFormat format) {
  const bool csv = format == RecordFormat::csv;
  switch (layout) {
    case TextLayout::name_and_description:
      return {csv ? "id, name and description separated by commas" : "id, name and description separated by tabs",
              3,
              3,
              {"id"}};
    case TextLayout::optional_name_and_description:
      return {csv ? "id, name and description, or id and description, separated by commas"
                  : "id, name and description, or id and description, separated by tabs",
              2,
              3,
              {"id"}};
    case TextLayout::words: break;
  }
  return {csv ? "id and words separated by a comma" : "id and words separated by a tab", 2, 2, {"id"}};
}

}  // namespace

RecordFormat format_of(std::string_view file_name) {
  return file_name.ends_with(".csv") || file_name.ends_with(".CSV") ? RecordFormat::csv : RecordFormat::tsv;
}

TextLines::TextLines(const NamedText& file, TextLayout layout, NewIds new_ids, Vocabulary& ids, LineProblems& problems,
                     Finding& repeated, Finding& unused)
    : reader_(without_byte_order_mark(file.content), format_of(file.name)) {
  const RecordShape shape = shape_of(layout, format_of(file.name));
  check_not_empty(file, shape.expected);
  const bool valid_utf8 = find_invalid_utf8(file.content) == std::string_view::npos;
  Record record;
  while (reader_.next(record)) {
    if (const std::string problem = problem_of(record, shape, valid_utf8); !problem.empty()) {
      problems.add(file.name, record.line, problem);
      continue;
    }
    const std::string_view id = record.fields[0];
    const auto known = new_ids == NewIds::add ? std::optional(ids.add(id)) : ids.find(id);
    if (!known) {
      unused.add(std::string(id));
      continue;
    }
    const auto number = static_cast<std::size_t>(*known);
    if (number >= listed_.size()) {
      const std::size_t size = std::max(ids.size(), number + 1);
      listed_.resize(size);
      names_.resize(size);
      descriptions_.resize(size);
    }
    if (listed_[number]) {
      repeated.add(fmt::format("{}:{}: {}", file.name, record.line, id));
      continue;
    }
    listed_[number] = true;
    if (record.count == 3) names_[number] = record.fields[1];
    descriptions_[number] = record.fields[record.count - 1];
  }
}

StringTable TextLines::table(const std::vector<std::string_view>& texts, std::size_t size) {
  std::size_t chars = 0;
  for (const std::string_view text : texts) chars += text.size();
  StringTable table;
  table.reserve(size, chars);
  for (std::size_t i = 0; i < size; ++i) table.add(i < texts.size() ? texts[i] : std::string_view());
  return table;
}

void TextLines::find_unlisted(const Vocabulary& ids, Finding& unlisted) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i >= listed_.size() || !listed_[i]) unlisted.add(std::string(ids[i]));
  }
}

}  // namespace hasa
