#include "hasa/http/target.h"

#include <algorithm>

#include "hasa/base/utf8.h"

namespace hasa {
namespace {

/// -1 if it is not a hexadecimal digit.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Removes the text up to and including the separator, and returns what precedes it.
std::string_view cut_before(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    decoded += c;
  }
  if (find_invalid_utf8(decoded) != std::string::npos) return std::nullopt;
  return decoded;
}

std::optional<std::vector<std::string>> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  while (!path.empty()) {
    auto segment = percent_decoded(cut_before(path, '/'));
    if (!segment) return std::nullopt;
    segments.push_back(std::move(*segment));
  }
  return segments;
}

std::optional<std::vector<std::pair<std::string, std::string>>> query_parameters(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    std::string_view parameter = cut_before(query, '&');
    if (parameter.empty()) continue;
    auto name = percent_decoded(cut_before(parameter, '='), /*plus_is_space=*/true);
    auto value = percent_decoded(parameter, /*plus_is_space=*/true);
    if (!name || !value) return std::nullopt;
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

}  // namespace hasa
