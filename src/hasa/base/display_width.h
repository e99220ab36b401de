#pragma once

#include <cstddef>
#include <string_view>

namespace hasa {

/// The width of a character in terminal columns: 2 for East Asian wide and fullwidth characters and for emoji, 0 for
/// marks that combine with the character before, 1 otherwise. The same in every locale, unlike wcwidth().
std::size_t display_width(char32_t character);
/// The width of a text. A byte that is not UTF-8 counts as one character.
std::size_t display_width(std::string_view text);

/// The longest prefix that fits into `columns`, cut between characters.
std::string_view fitting(std::string_view text, std::size_t columns);

}  // namespace hasa
