#include "hasa/kg/vocabulary.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"

namespace hasa {
namespace {

constexpr std::size_t kFewestSlots = 16;

std::uint64_t slot_of(std::uint32_t hash, std::size_t index) { return (std::uint64_t{hash} << 32) | (index + 1); }
std::uint32_t hash_in(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 32); }
std::size_t index_in(std::uint64_t slot) { return static_cast<std::size_t>((slot & 0xFFFFFFFFU) - 1); }

/// Where probing starts: the hash's upper bits, spread over a power of two of slots.
std::size_t home(std::uint32_t hash, std::size_t slots) {
  return static_cast<std::size_t>((std::uint64_t{hash} * slots) >> 32);
}

}  // namespace

std::uint32_t Vocabulary::hash(std::string_view text) {
  return static_cast<std::uint32_t>(hash_bytes(text.data(), text.size()) >> 32);
}

std::optional<std::int32_t> Vocabulary::find(std::string_view text, std::uint32_t hash_of_text) const {
  if (slots_.empty()) return std::nullopt;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = home(hash_of_text, slots_.size()); slots_[at] != 0; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (hash_in(slot) == hash_of_text && strings_[index_in(slot)] == text)
      return static_cast<std::int32_t>(index_in(slot));
  }
  return std::nullopt;
}

std::int32_t Vocabulary::add(std::string_view text, std::uint32_t hash_of_text) {
  if (3 * (size() + 1) > 2 * slots_.size()) grow(std::max(kFewestSlots, 2 * slots_.size()));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home(hash_of_text, slots_.size());
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (hash_in(slot) == hash_of_text && strings_[index_in(slot)] == text)
      return static_cast<std::int32_t>(index_in(slot));
  }
  HASA_CHECK(size() < std::size_t{std::numeric_limits<std::int32_t>::max()}, data,
             "more than {} different ids; a graph can hold no more", size());
  slots_.set(at, slot_of(hash_of_text, size()));
  strings_.add(text);
  return static_cast<std::int32_t>(size() - 1);
}

void Vocabulary::grow(std::size_t slots) {
  std::vector<std::uint64_t> larger(slots, 0);
  for (const std::uint64_t slot : slots_.span()) {
    if (slot == 0) continue;
    std::size_t at = home(hash_in(slot), slots);
    while (larger[at] != 0) at = (at + 1) & (slots - 1);
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

void Vocabulary::reserve(std::size_t strings, std::size_t chars) {
  strings_.reserve(strings, chars);
  const std::size_t slots = std::bit_ceil(std::max(kFewestSlots, strings * 3 / 2 + 1));
  if (slots > slots_.size()) grow(slots);
}

void Vocabulary::add_to(ArchiveWriter& writer, const std::string& name) const {
  strings_.add_to(writer, name);
  writer.add(name + ".slots", slots_.span());
}

Vocabulary Vocabulary::view(const Archive& archive, const std::string& name) {
  Vocabulary vocabulary;
  vocabulary.strings_ = StringTable::view(archive, name);
  const auto slots = archive.section<std::uint64_t>(name + ".slots");
  const std::string file = archive.path().string();
  const std::size_t size = vocabulary.size();
  // A free slot must be left, or a search for a missing string would not end.
  HASA_CHECK((slots.empty() && size == 0) || (std::has_single_bit(slots.size()) && slots.size() > size), data,
             "{} is damaged: {} has {} slots for {} strings", file, name, slots.size(), size);
  HASA_CHECK(size <= std::size_t{std::numeric_limits<std::int32_t>::max()}, data, "{}: {} has too many strings", file,
             name);
  std::size_t taken = 0;
  for (const std::uint64_t slot : slots) {
    if (slot == 0) continue;
    ++taken;
    HASA_CHECK((slot & 0xFFFFFFFFU) >= 1 && (slot & 0xFFFFFFFFU) <= size, data,
               "{} is damaged: a slot of {} points outside it", file, name);
  }
  HASA_CHECK(taken == size, data, "{} is damaged: {} has {} taken slots for {} strings", file, name, taken, size);
  vocabulary.slots_ = StoredArray<std::uint64_t>::viewing(slots);
  return vocabulary;
}

}  // namespace hasa
