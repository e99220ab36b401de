#include "hasa/kg/text_lines.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/utf8.h"
#include "hasa/kg/read/sniff.h"

namespace hasa {
namespace {

RecordShape shape_of(TextLayout layout, const RecordFormat& format) {
  const char* separator = separator_words(format);
  switch (layout) {
    case TextLayout::name_and_description:
      return {fmt::format("id, name and description separated by {}", separator), 3, 3, {"id"}};
    case TextLayout::optional_name_and_description:
      return {fmt::format("id, name and description, or id and description, separated by {}", separator), 2, 3, {"id"}};
    case TextLayout::words: break;
  }
  std::string one(separator);
  one.pop_back();
  return {fmt::format("id and words separated by a {}", one), 2, 2, {"id"}};
}

/// "id", "name", "description" and their like, and nothing else.
bool names_columns(const Record& record) {
  constexpr std::string_view kIds = "|id|entity|relation|node|", kTexts = "|name|label|description|text|words|";
  const auto among = [](std::string_view words, std::string_view field) {
    return words.find(fmt::format("|{}|", field)) != std::string_view::npos;
  };
  if (record.bad_quoting != nullptr || record.count < 2 || record.count > 3 || !among(kIds, record.fields[0]))
    return false;
  for (std::size_t i = 1; i < record.count; ++i) {
    if (!among(kTexts, record.fields[i])) return false;
  }
  return true;
}

/// The lines of one file.
class TextLines {
 public:
  TextLines(Vocabulary& ids, NewIds new_ids, HeldTexts& held, TextFindings& findings)
      : ids_(ids), new_ids_(new_ids), held_(held), findings_(findings) {}

  void take(const Record& record, const std::string& file) {
    const std::string_view id = record.fields[0];
    const auto known = new_ids_ == NewIds::add ? std::optional(ids_.add(id)) : ids_.find(id);
    if (!known) return findings_.unused.add(std::string(id));
    const auto number = static_cast<std::size_t>(*known);
    if (number >= listed_.size()) listed_.resize(std::max(ids_.size(), number + 1));
    if (listed_[number]) return findings_.repeated.add(fmt::format("{}:{}: {}", file, record.line, id));
    listed_[number] = true;
    const bool other_name = record.count == 3 && held_.replace(*known, TextKind::name, record.fields[1]);
    const bool other_text = held_.replace(*known, TextKind::description, record.fields[record.count - 1]);
    if (other_name || other_text) findings_.replaced.add(std::string(id));
  }

  void find_unlisted() {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (i >= listed_.size() || !listed_[i]) findings_.unlisted.add(std::string(ids_[i]));
    }
  }

 private:
  Vocabulary& ids_;
  NewIds new_ids_;
  HeldTexts& held_;
  TextFindings& findings_;
  std::vector<bool> listed_;
};

/// Enough lines to tell a separator by.
constexpr std::size_t kTextLookedAt = 64 << 10;

}  // namespace

void read_text_lines(const NamedText& file, TextLayout layout, NewIds new_ids, Vocabulary& ids, HeldTexts& held,
                     LineProblems& problems, TextFindings& findings) {
  const std::string_view content = without_byte_order_mark(file.content);
  const RecordFormat format = sniff_format(file.name, content.substr(0, kTextLookedAt), 2, {});
  const RecordShape shape = shape_of(layout, format);
  check_not_empty(file, shape.expected);
  const bool valid_utf8 = find_invalid_utf8(content) == std::string_view::npos;
  // A file of texts makes tables of texts, be they all empty.
  held.expect(TextKind::description);
  if (layout != TextLayout::words) held.expect(TextKind::name);
  TextLines lines(ids, new_ids, held, findings);
  RecordReader reader(content, format);
  for (Record record; reader.next(record);) {
    if (is_blank(record) || (record.line == 1 && names_columns(record))) continue;
    if (const LineProblem problem = problem_of(record, shape, valid_utf8); !problem.what.empty()) {
      problems.add(file.name, record.line, problem);
    } else {
      lines.take(record, file.name);
    }
  }
  lines.find_unlisted();
}

}  // namespace hasa
