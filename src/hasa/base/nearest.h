#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// Edit distance with transposition of neighbours, compared without regard to ASCII case; stops counting
/// past `limit` and returns limit + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// Up to `count` names close enough to be what the user meant, closest first.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names, std::size_t count);

/// "; did you mean a, b or c?" or "".
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names, std::size_t count = 1);
/// The same for given names.
std::string did_you_mean(std::span<const std::string> chosen);

}  // namespace hasa
