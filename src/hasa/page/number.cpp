#include "hasa/page/number.h"

#include <fmt/format.h>

#include <cmath>

#include "hasa/base/progress.h"

namespace hasa {

std::string format_share(double value) {
  const std::string digits = fmt::format("{:.3f}", value);
  return digits.starts_with("0.") ? digits.substr(1) : digits;
}

std::string format_whole(std::int64_t value) {
  return value < 0 ? "-" + format_whole(-value) : format_count(static_cast<std::uint64_t>(value));
}

std::string format_short(double value) {
  if (std::abs(value) >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (std::abs(value) >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  if (std::abs(value) >= 1e3) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", std::abs(value) < 1e-12 ? 0.0 : value);
}

std::string format_power_of_two(std::uint64_t value) {
  if (value >= 1 << 20) return fmt::format("{}M", value >> 20);
  if (value >= 1 << 10) return fmt::format("{}k", value >> 10);
  return std::to_string(value);
}

}  // namespace hasa
