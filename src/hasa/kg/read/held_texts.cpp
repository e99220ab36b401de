#include "hasa/kg/read/held_texts.h"

namespace hasa {

HeldTexts::Held& HeldTexts::at(std::int32_t number, TextKind kind) {
  std::vector<Held>& held = held_[index(kind)];
  if (static_cast<std::size_t>(number) >= held.size()) held.resize(static_cast<std::size_t>(number) + 1);
  return held[static_cast<std::size_t>(number)];
}

void HeldTexts::offer(std::int32_t number, TextKind kind, std::uint8_t rank, std::string_view text) {
  Held& held = at(number, kind);
  if (rank < held.rank) held = {arena_.keep(text), rank};
}

bool HeldTexts::replace(std::int32_t number, TextKind kind, std::string_view text) {
  Held& held = at(number, kind);
  const bool other = held.rank != kNone && !held.text.empty() && held.text != text;
  held = {arena_.keep(text), 0};
  return other;
}

bool HeldTexts::has(std::int32_t number) const {
  return !of(number, TextKind::name).empty() || !of(number, TextKind::description).empty();
}

std::string_view HeldTexts::of(std::int32_t number, TextKind kind) const {
  const std::vector<Held>& held = held_[index(kind)];
  return static_cast<std::size_t>(number) < held.size() ? held[static_cast<std::size_t>(number)].text
                                                        : std::string_view();
}

StringTable HeldTexts::table(TextKind kind, std::size_t size) const {
  StringTable table;
  if (!any(kind)) return table;
  std::size_t chars = 0;
  for (const Held& held : held_[index(kind)]) chars += held.text.size();
  table.reserve(size, chars);
  for (std::size_t i = 0; i < size; ++i) table.add(of(static_cast<std::int32_t>(i), kind));
  return table;
}

void HeldTexts::renumber(const std::vector<std::int32_t>& renumbered) {
  for (std::vector<Held>& held : held_) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (renumbered[i] < 0) continue;
      kept = static_cast<std::size_t>(renumbered[i]) + 1;
      held[kept - 1] = held[i];  // numbers only sink, so nothing is overwritten that is still to move
    }
    // Between two that moved there may be ones without a text: they were moved too, since all numbers are walked.
    held.resize(kept);
  }
}

}  // namespace hasa
