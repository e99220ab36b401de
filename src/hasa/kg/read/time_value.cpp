#include "hasa/kg/read/time_value.h"

#include <array>
#include <chrono>

#include "hasa/base/number_in.h"

namespace hasa {
namespace {

/// Digits from the front, up to what is no digit.
std::optional<int> take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
  const auto value = number_in<int>(text.substr(0, size));
  text.remove_prefix(size);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// Hours, minutes and seconds behind a date: T12, T12:30, T12:30:05, a fraction of seconds left out.
std::optional<std::int64_t> seconds_of_day(std::string_view text) {
  std::array<int, 3> parts = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = take_digits(text);
    if (!part || *part > (i == 0 ? 24 : 60)) return std::nullopt;
    parts[i] = *part;
    if (!take(text, ':')) break;
  }
  if (take(text, '.')) take_digits(text);
  take(text, 'Z');
  if (!text.empty()) return std::nullopt;
  return parts[0] * 3600 + parts[1] * 60 + parts[2];
}

}  // namespace

std::optional<std::int64_t> time_in(std::string_view text, TimeForm form) {
  if (form == TimeForm::number) return number_in<std::int64_t>(text);
  const bool before_christ = take(text, '-');
  std::array<int, 3> parts = {0, 1, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = take_digits(text);
    if (!part) return std::nullopt;
    parts[i] = *part;
    if (i == 2 || !take(text, '-')) break;
  }
  using namespace std::chrono;
  const year_month_day date{year(before_christ ? -parts[0] : parts[0]), month(static_cast<unsigned>(parts[1])),
                            day(static_cast<unsigned>(parts[2]))};
  if (!date.ok()) return std::nullopt;
  std::int64_t seconds = duration_cast<std::chrono::seconds>(sys_days(date).time_since_epoch()).count();
  if (text.empty()) return seconds;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto of_day = seconds_of_day(text);
  if (!of_day) return std::nullopt;
  return seconds + *of_day;
}

}  // namespace hasa
