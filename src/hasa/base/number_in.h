#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace hasa {

/// The number that a text is, whole; none where anything else is in it, or where T does not hold it.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace hasa
