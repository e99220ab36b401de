#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// The tokens of a vocab.txt, a line each; a token's id is its line, counted from 0. Blanks and CR at the end of
/// a line are no part of it. Throws data, naming file:line, for a line that is empty, repeats an earlier one or
/// is not UTF-8, and for a file without tokens.
std::vector<std::string> read_vocab_file(const std::filesystem::path& path);

/// The same for text already read; `name` is what messages call it.
std::vector<std::string> parse_vocab(std::string_view text, std::string_view name);

}  // namespace hasa
