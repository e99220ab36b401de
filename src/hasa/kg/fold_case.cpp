#include "hasa/kg/fold_case.h"

#include <cstddef>

#include "hasa/base/utf8.h"

namespace hasa {
namespace {

bool within(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

}  // namespace

char32_t fold_case(char32_t c) {
  if (c < 0x80) return within(c, U'A', U'Z') ? c + 32 : c;
  if (within(c, 0xC0, 0xDE)) return c == 0xD7 ? c : c + 32;  // Latin-1, but for the multiplication sign
  // Latin Extended-A comes in pairs, capitals even up to U+0137 and from U+014A, odd between and after.
  if (within(c, 0x100, 0x137) && c != 0x130 && c != 0x131) return c | 1;
  if (within(c, 0x139, 0x148)) return c % 2 == 1 ? c + 1 : c;
  if (within(c, 0x14A, 0x177)) return c | 1;
  if (c == 0x178) return 0xFF;
  if (within(c, 0x179, 0x17E)) return c % 2 == 1 ? c + 1 : c;
  if (within(c, 0x391, 0x3AB)) return c == 0x3A2 ? c : c + 32;  // Greek
  if (c == 0x386) return 0x3AC;
  if (within(c, 0x388, 0x38A)) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (within(c, 0x38E, 0x38F)) return c + 63;
  if (within(c, 0x410, 0x42F)) return c + 32;  // Cyrillic
  if (within(c, 0x400, 0x40F)) return c + 80;
  if (within(c, 0x460, 0x481) || within(c, 0x48A, 0x4BF) || within(c, 0x4D0, 0x52F)) return c | 1;
  if (within(c, 0x531, 0x556)) return c + 48;                                // Armenian
  if (within(c, 0x1E00, 0x1E95) || within(c, 0x1EA0, 0x1EFF)) return c | 1;  // Latin Extended Additional
  return c;
}

std::string fold_case(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      folded += static_cast<char>(fold_case(char32_t{byte}));
      ++at;
    } else {
      append_utf8(folded, fold_case(next_code_point(text, at)));
    }
  }
  return folded;
}

}  // namespace hasa
