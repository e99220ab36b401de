#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hasa {

/// A user's text for display in messages and tables, in at most `most` terminal columns: a tab is <TAB>, a
/// line end <LF>, control characters (they would move the cursor, or worse) and bytes that are not UTF-8 are \xNN.
/// Longer texts are truncated with an ellipsis, never inside one of these.
std::string shown(std::string_view text, std::size_t most = std::string_view::npos);

/// The same, followed by spaces up to `width` columns.
std::string shown_in_column(std::string_view text, std::size_t width);

}  // namespace hasa
