#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hasa/kg/read/text_arena.h"
#include "hasa/kg/vocabulary.h"

namespace hasa {

/// The distinct strings of one piece of a file, numbered as they come. A small table of its own keeps the many
/// mentions of an id away from the large shared vocabulary, and lets pieces be read side by side.
class LocalIds {
 public:
  /// The string must stay where it is while this lives.
  std::int32_t add(std::string_view text) {
    const std::uint32_t hash = Vocabulary::hash(text);
    const std::size_t at = slot_of(text, hash);
    return slots_[at] >= 0 ? slots_[at] : put(at, text, hash);
  }
  /// The string may go: a new one is copied into the arena.
  std::int32_t add(std::string_view text, TextArena& arena) {
    const std::uint32_t hash = Vocabulary::hash(text);
    const std::size_t at = slot_of(text, hash);
    return slots_[at] >= 0 ? slots_[at] : put(at, arena.keep(text), hash);
  }

  std::size_t size() const { return strings_.size(); }
  std::string_view operator[](std::size_t i) const { return strings_[i]; }
  /// In the shared vocabulary, once it has been looked up or added there.
  std::int32_t number(std::int32_t local) const { return numbers_[static_cast<std::size_t>(local)]; }

  void look_up(const Vocabulary& vocabulary) {
    numbers_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) numbers_[i] = vocabulary.find(strings_[i], hashes_[i]).value_or(-1);
  }
  void add_missing_to(Vocabulary& vocabulary) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (numbers_[i] < 0) numbers_[i] = vocabulary.add(strings_[i], hashes_[i]);
    }
  }

 private:
  /// Where the string is, or the free slot that waits for it.
  std::size_t slot_of(std::string_view text, std::uint32_t hash) {
    if (2 * (size() + 1) > slots_.size()) grow();
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) {
      const auto index = static_cast<std::size_t>(slots_[at]);
      if (hashes_[index] == hash && strings_[index] == text) break;
    }
    return at;
  }

  std::int32_t put(std::size_t at, std::string_view text, std::uint32_t hash) {
    slots_[at] = static_cast<std::int32_t>(size());
    strings_.push_back(text);
    hashes_.push_back(hash);
    return slots_[at];
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
    for (std::size_t i = 0; i < size(); ++i) {
      std::size_t at = hashes_[i] & (slots_.size() - 1);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<std::string_view> strings_;
  std::vector<std::uint32_t> hashes_;
  std::vector<std::int32_t> numbers_, slots_;
};

}  // namespace hasa
