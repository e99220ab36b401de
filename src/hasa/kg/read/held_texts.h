#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hasa/kg/read/statements.h"
#include "hasa/kg/read/text_arena.h"
#include "hasa/kg/string_table.h"

namespace hasa {

/// The best text met so far of each entity, or of each relation, by number: a name and a description.
class HeldTexts {
 public:
  /// Takes the text unless one of the same or a better rank is there.
  void offer(std::int32_t number, TextKind kind, std::uint8_t rank, std::string_view text);
  /// Takes the text whatever is there; returns whether another one was.
  bool replace(std::int32_t number, TextKind kind, std::string_view text);

  /// A table of the kind is made, also when no text of it comes.
  void expect(TextKind kind) { expected_[index(kind)] = true; }
  bool any(TextKind kind) const { return expected_[index(kind)] || !held_[index(kind)].empty(); }
  bool has(std::int32_t number) const;
  std::string_view of(std::int32_t number, TextKind kind) const;
  /// A string for each of `size` numbers; an empty table where there is no text of the kind.
  StringTable table(TextKind kind, std::size_t size) const;
  /// The number of what was number i becomes renumbered[i], rising; below 0 its texts go.
  void renumber(const std::vector<std::int32_t>& renumbered);

 private:
  struct Held {
    std::string_view text;
    std::uint8_t rank = kNone;
  };
  static constexpr std::uint8_t kNone = 255;
  static std::size_t index(TextKind kind) { return static_cast<std::size_t>(kind); }
  Held& at(std::int32_t number, TextKind kind);

  std::array<std::vector<Held>, 2> held_;  // by kind
  std::array<bool, 2> expected_ = {};
  TextArena arena_;
};

}  // namespace hasa
