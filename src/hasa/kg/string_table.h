#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hasa/base/archive.h"
#include "hasa/kg/stored_array.h"

namespace hasa {

/// Strings laid end to end: characters, and offsets of which string i is [offsets[i], offsets[i + 1]).
/// Owned and growing, or viewing a mapped file. An empty table has no offsets at all.
class StringTable {
 public:
  StringTable() = default;

  std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  bool empty() const { return size() == 0; }
  std::string_view operator[](std::size_t i) const {
    return {chars_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }

  void add(std::string_view text);
  void reserve(std::size_t strings, std::size_t chars);

  std::span<const char> chars() const { return chars_.span(); }
  std::span<const std::uint64_t> offsets() const { return offsets_.span(); }

  /// Sections "<name>" and "<name>.offsets". The table must live until the writer has saved.
  void add_to(ArchiveWriter& writer, const std::string& name) const;
  /// Views the archive, which must outlive the table. Throws data unless offsets rise from 0 to the number
  /// of characters and every string is valid UTF-8.
  static StringTable view(const Archive& archive, const std::string& name);

 private:
  StoredArray<char> chars_;
  StoredArray<std::uint64_t> offsets_;
};

}  // namespace hasa
