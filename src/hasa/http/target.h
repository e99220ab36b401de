#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hasa {

/// Decodes "%41" to "A"; a "+" is kept unless `plus_is_space`. None if a % is not followed by two hexadecimal digits,
/// or if the result is not UTF-8 or contains a NUL.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

/// The segments of a path, each decoded by itself: "/v1/entities/a%2Fb" -> "v1", "entities", "a/b". None if one cannot
/// be decoded.
std::optional<std::vector<std::string>> path_segments(std::string_view path);

/// "q=big+dog&limit=5" in the order of the text; a name without "=" has the value "". None if one cannot be decoded.
std::optional<std::vector<std::pair<std::string, std::string>>> query_parameters(std::string_view query);

}  // namespace hasa
