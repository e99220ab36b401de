#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hasa {

/// The words of a text in their order, in lower case, each as a hash: letters and digits of any script, nothing else.
std::vector<std::uint64_t> word_hashes(std::string_view text);

}  // namespace hasa
