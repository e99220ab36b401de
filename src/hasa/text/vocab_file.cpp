#include "hasa/text/vocab_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/utf8.h"

namespace hasa {

namespace {

constexpr std::string_view kAdvice = "vocab.txt holds a token a line, and a token's id is its line";

std::string_view without_trailing_blanks(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<std::string> parse_vocab(std::string_view text, std::string_view name) {
  std::vector<std::string> tokens;
  std::unordered_map<std::string_view, std::size_t> line_of;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view token = without_trailing_blanks(text.substr(begin, end - begin));
    const std::size_t line = tokens.size() + 1;
    HASA_CHECK(!token.empty(), data, "{}:{}: the line is empty\n{}", name, line, kAdvice);
    const std::size_t invalid = find_invalid_utf8(token);
    HASA_CHECK(invalid == std::string_view::npos, data, "{}:{}: byte {} of the line is not UTF-8\n{}", name, line,
               invalid + 1, kAdvice);
    const auto [earlier, is_new] = line_of.emplace(token, line);
    HASA_CHECK(is_new, data, "{}:{}: \"{}\" is on line {} already\n{}", name, line, token, earlier->second, kAdvice);
    tokens.emplace_back(token);
    begin = end + 1;
  }
  HASA_CHECK(!tokens.empty(), data, "{}: the file is empty\n{}", name, kAdvice);
  HASA_CHECK(tokens.size() <= std::numeric_limits<std::int32_t>::max(), data, "{}: {} tokens are too many", name,
             tokens.size());
  return tokens;
}

std::vector<std::string> read_vocab_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_vocab(file.text(), path.string());
}

}  // namespace hasa
