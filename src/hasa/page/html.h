#pragma once

#include <string>
#include <string_view>

namespace hasa {

/// For text and attributes alike. Control characters and bytes that are not UTF-8 are shown as base/shown_text.h does.
std::string escape_html(std::string_view text);

}  // namespace hasa
