#include "hasa/kg/string_table.h"

#include "hasa/base/error.h"
#include "hasa/base/utf8.h"

namespace hasa {

void StringTable::add(std::string_view text) {
  if (offsets_.empty()) offsets_.push_back(0);
  chars_.append(text);
  offsets_.push_back(chars_.size());
}

void StringTable::reserve(std::size_t strings, std::size_t chars) {
  offsets_.reserve(strings + 1);
  chars_.reserve(chars);
}

void StringTable::add_to(ArchiveWriter& writer, const std::string& name) const {
  writer.add(name, chars_.span());
  writer.add(name + ".offsets", offsets_.span());
}

StringTable StringTable::view(const Archive& archive, const std::string& name) {
  StringTable table;
  table.chars_ = StoredArray<char>::viewing(archive.section<char>(name));
  table.offsets_ = StoredArray<std::uint64_t>::viewing(archive.section<std::uint64_t>(name + ".offsets"));
  const auto chars = table.chars();
  const auto offsets = table.offsets();
  const std::string_view text(chars.data(), chars.size());
  const std::string file = archive.path().string();
  if (offsets.empty()) {
    HASA_CHECK(text.empty(), data, "{} is damaged: {} has characters but no strings", file, name);
    return table;
  }
  HASA_CHECK(offsets.front() == 0 && offsets.back() == text.size(), data,
             "{} is damaged: the strings of {} do not cover its characters", file, name);
  HASA_CHECK(find_invalid_utf8(text) == std::string_view::npos, data, "{} is damaged: {} is not UTF-8", file, name);
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    // A string may neither end before it begins nor begin inside a character.
    const bool rises = offsets[i - 1] <= offsets[i] && offsets[i] <= text.size();
    HASA_CHECK(rises && (offsets[i] == text.size() || (text[offsets[i]] & 0xC0) != 0x80), data,
               "{} is damaged: string {} of {} has no place in it", file, i - 1, name);
  }
  return table;
}

}  // namespace hasa
