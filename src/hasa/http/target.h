#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hasa {

/// "%41" is "A"; a "+" stays unless `plus_is_space`. None where a % is not followed by two hexadecimal digits, or where
/// what comes out is not UTF-8 or holds a NUL.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

/// The parts of a path between slashes, each decoded by itself: "/v1/entities/a%2Fb" -> "v1", "entities", "a/b". None
/// where one does not decode.
std::optional<std::vector<std::string>> path_segments(std::string_view path);

/// "q=big+dog&limit=5" in the order of the text; a name without "=" has the value "". None where one does not decode.
std::optional<std::vector<std::pair<std::string, std::string>>> query_parameters(std::string_view query);

}  // namespace hasa
