#include "hasa/base/utf8.h"

#include <cstring>

namespace hasa {
namespace {

struct Decoded {
  char32_t code_point;
  std::size_t length;  // bytes used; for an invalid form, those of its maximal valid beginning
  bool valid;
};

/// Table 3-7 of the Unicode standard: the range of the second byte depends on the first.
Decoded decode(const unsigned char* p, std::size_t left) {
  const unsigned char lead = p[0];
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {kReplacementCharacter, 1, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  char32_t code_point = lead & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= left || p[i] < low || p[i] > high) return {kReplacementCharacter, i, false};
    code_point = (code_point << 6) | (p[i] & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, length, true};
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word;
    if (text.size() - at >= sizeof word) {
      std::memcpy(&word, p + at, sizeof word);
      if ((word & 0x8080808080808080ULL) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const Decoded decoded = decode(p + at, text.size() - at);
    if (!decoded.valid) return at;
    at += decoded.length;
  }
  return std::string_view::npos;
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const Decoded decoded = decode(p + position, text.size() - position);
  position += decoded.length;
  return decoded.code_point;
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | (c >> 6));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | (c >> 12));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (c >> 18));
    text += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
}

}  // namespace hasa
