#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "hasa/kg/line_problems.h"
#include "hasa/kg/records.h"
#include "hasa/kg/string_table.h"
#include "hasa/kg/vocabulary.h"

namespace hasa {

enum class TextLayout {
  name_and_description,           ///< id<TAB>name<TAB>description
  optional_name_and_description,  ///< the same, or id<TAB>description
  words,                          ///< id<TAB>words
};

enum class NewIds {
  add,        ///< an id that the vocabulary does not have is added to it
  leave_out,  ///< its line is left out and counted
};

/// The texts of entities or relations, found by the number of their id; "" where there is none.
class TextLines {
 public:
  /// Reads a file, CSV if it is named so. Malformed lines go to `problems`, an id's second line to `repeated`,
  /// lines left out to `unused`. The content must live while this does. Throws data when the file is empty.
  TextLines(const NamedText& file, TextLayout layout, NewIds new_ids, Vocabulary& ids, LineProblems& problems,
            Finding& repeated, Finding& unused);

  /// As tables of exactly `size` strings. Words are in the descriptions.
  StringTable names(std::size_t size) const { return table(names_, size); }
  StringTable descriptions(std::size_t size) const { return table(descriptions_, size); }
  /// Counts the ids that no line was about.
  void find_unlisted(const Vocabulary& ids, Finding& unlisted) const;

 private:
  static StringTable table(const std::vector<std::string_view>& texts, std::size_t size);

  RecordReader reader_;  // keeps unquoted fields alive
  std::vector<std::string_view> names_;
  std::vector<std::string_view> descriptions_;
  std::vector<bool> listed_;
};

/// By the ending of the file's name.
RecordFormat format_of(std::string_view file_name);

}  // namespace hasa
