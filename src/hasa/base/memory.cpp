#include "hasa/base/memory.h"

#include <fmt/format.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr std::string_view kUnits = "KMGT";

/// A field of /proc/self/status or /proc/meminfo, which count in KiB.
std::int64_t field_bytes(const char* file, std::string_view field) {
  std::ifstream status(file);
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stoll(line.substr(field.size())) << 10;
  }
  return 0;
}

}  // namespace

std::int64_t parse_bytes(std::string_view text, std::string_view option) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  bool good = problem == std::errc() && std::isfinite(value) && value > 0;
  if (!unit.empty() && kUnits.find(static_cast<char>(unit[0] & ~0x20)) != std::string_view::npos) {
    value *= std::exp2(10.0 * static_cast<double>(kUnits.find(static_cast<char>(unit[0] & ~0x20)) + 1));
    unit.remove_prefix(1);
    if (unit.starts_with('i')) unit.remove_prefix(1);
  }
  if (unit == "B" || unit == "b") unit = {};
  good = good && unit.empty() && value >= 1 && value < 0x1p62;
  HASA_CHECK(good, config, "{} is \"{}\", expected a size such as 512M or 2G", option, text);
  return static_cast<std::int64_t>(value);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kNames{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kNames.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes)
                   : fmt::format("{:.{}f} {}", value, value < 100 ? 1 : 0, kNames[unit]);
}

std::int64_t resident_bytes() { return field_bytes("/proc/self/status", "VmRSS:"); }

std::int64_t peak_resident_bytes() { return field_bytes("/proc/self/status", "VmHWM:"); }

std::int64_t allocated_bytes() {
#ifdef __GLIBC__
  const auto info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

std::int64_t machine_bytes() {
  const std::int64_t all = field_bytes("/proc/meminfo", "MemTotal:");
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::int64_t limit = 0;  // "max" is no number, and none
    if (std::ifstream(file) >> limit && limit > 0 && limit < all) return limit;
  }
  return all;
}

}  // namespace hasa
