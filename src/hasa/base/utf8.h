#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hasa {

constexpr char32_t kReplacementCharacter = 0xFFFD;

/// Offset of the first byte that is not valid UTF-8 (surrogates, overlong forms and values past U+10FFFF
/// are not), or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// Reads one code point at `position` and moves past it. Invalid bytes give U+FFFD, one for each maximal
/// part that could have begun a character, as the Unicode standard recommends and Rust and Python do.
char32_t next_code_point(std::string_view text, std::size_t& position);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace hasa
