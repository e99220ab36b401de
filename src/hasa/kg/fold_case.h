#pragma once

#include <string>
#include <string_view>

namespace hasa {

/// Lower case, character by character, for finding names however they are capitalised. Knows the Latin,
/// Greek, Cyrillic and Armenian letters that have a simple lower case; all else stays as it is.
char32_t fold_case(char32_t code_point);
std::string fold_case(std::string_view text);

}  // namespace hasa
