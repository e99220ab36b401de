#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hasa/kg/string_table.h"

namespace hasa {

/// Distinct strings numbered from 0 in the order they were added, and found again by a hash table that is
/// stored with them, so that a mapped vocabulary is ready at once.
///
/// The table is open addressing with linear probing: a slot is 0 when free, else the string's 32-bit hash
/// above its number + 1. The hash in the slot spares most visits to the strings, and lets the table grow
/// without hashing them again. At most two slots in three are taken.
class Vocabulary {
 public:
  static std::uint32_t hash(std::string_view text);

  std::size_t size() const { return strings_.size(); }
  std::string_view operator[](std::size_t i) const { return strings_[i]; }
  const StringTable& strings() const { return strings_; }

  std::optional<std::int32_t> find(std::string_view text) const { return find(text, hash(text)); }
  std::optional<std::int32_t> find(std::string_view text, std::uint32_t hash_of_text) const;

  /// The string's number; a new one if it was not there.
  std::int32_t add(std::string_view text) { return add(text, hash(text)); }
  std::int32_t add(std::string_view text, std::uint32_t hash_of_text);
  void reserve(std::size_t strings, std::size_t chars);

  /// Sections "<name>", "<name>.offsets" and "<name>.slots".
  void add_to(ArchiveWriter& writer, const std::string& name) const;
  /// Views the archive, which must outlive the vocabulary. Throws data unless every slot is sound.
  static Vocabulary view(const Archive& archive, const std::string& name);

 private:
  void grow(std::size_t slots);

  StringTable strings_;
  StoredArray<std::uint64_t> slots_;  // a power of two of them, or none
};

}  // namespace hasa
