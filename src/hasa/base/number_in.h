#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace hasa {

/// Parses the entire string as T; none if it is not a number or out of T's range.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace hasa
