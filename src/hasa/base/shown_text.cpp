#include "hasa/base/shown_text.h"

#include <fmt/format.h>

#include "hasa/base/display_width.h"
#include "hasa/base/utf8.h"

namespace hasa {
namespace {

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

/// One character of the text, or what stands for it.
std::string shown_character(char32_t c, std::string_view bytes) {
  if (c == U'\t') return "<TAB>";
  if (c == U'\n') return "<LF>";
  const bool invalid = c == kReplacementCharacter && bytes != "\xEF\xBF\xBD";
  if (!is_control(c) && !invalid) return std::string(bytes);
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  return hex;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t length = 0, cut_at = 0;  // cut_at: where an ellipsis would still fit
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    const std::string next = shown_character(c, text.substr(start, at - start));
    length += display_width(next);
    if (length > most) return most == 0 ? "" : out.substr(0, cut_at) + "…";
    out += next;
    if (length < most) cut_at = out.size();
  }
  return out;
}

std::string shown_in_column(std::string_view text, std::size_t width) {
  std::string out = shown(text, width);
  return out.append(width - display_width(out), ' ');
}

}  // namespace hasa
