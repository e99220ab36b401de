#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// What names and ids have in common however they are written: "Domestic_Dog" and "domestic dog".
std::string loosely(std::string_view text);

/// The names in a list of them: "dog, domestic dog" -> "dog", "domestic dog".
std::vector<std::string_view> names_in(std::string_view list);

}  // namespace hasa
