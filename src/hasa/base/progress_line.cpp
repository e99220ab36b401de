#include "hasa/base/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "hasa/base/display_width.h"
#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr int kBarWidth = 20;
constexpr std::string_view kGap = "  ";

std::string bar(double fraction) {
  const int filled = static_cast<int>(fraction * kBarWidth);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "]";
}

/// A part of the line; of those that stand in the way the one of least importance goes first.
struct Part {
  std::string text;
  int importance;
};

std::string joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) line.append(line.empty() ? "" : kGap).append(part.text);
  return line;
}

/// The note's parts are what it has between gaps. The first is worth most.
void add_note(std::vector<Part>& parts, std::string_view note) {
  constexpr int kOfFirst = 4;
  int importance = kOfFirst;
  while (!note.empty()) {
    const std::size_t end = std::min(note.find(kGap), note.size());
    parts.push_back({std::string(note.substr(0, end)), importance});
    importance = std::max(1, importance - 1);
    note.remove_prefix(std::min(note.size(), end + kGap.size()));
  }
}

/// Of equals the later one, which says less, is left out first.
std::string fitted(std::vector<Part> parts, std::size_t columns) {
  while (parts.size() > 1 && display_width(joined(parts)) > columns) {
    const auto least = std::min_element(parts.rbegin(), parts.rend(),
                                        [](const Part& a, const Part& b) { return a.importance < b.importance; });
    parts.erase(std::next(least).base());
  }
  return shown(joined(parts), columns);
}

double rate_of(const ProgressState& state) {
  return state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
}

std::string speed_of(const ProgressState& state) {
  return fmt::format("{} {}/s", format_count(static_cast<std::uint64_t>(rate_of(state))), state.unit);
}

}  // namespace

std::string progress_line(const ProgressState& state, std::size_t columns) {
  const double fraction =
      state.total > 0 ? std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total)) : 0;
  const double rate = rate_of(state);
  const double left = rate > 0 && state.total > state.done ? static_cast<double>(state.total - state.done) / rate : 0;
  std::vector<Part> parts{{state.title, 9}, {bar(fraction), 5}, {fmt::format("{:3.0f}%", fraction * 100), 8}};
  parts.push_back({speed_of(state), 0});
  add_note(parts, state.note);
  parts.push_back({format_duration(left) + " left", 7});
  return fitted(std::move(parts), columns);
}

std::string finished_line(const ProgressState& state, std::size_t columns) {
  std::vector<Part> parts{{state.title, 9}};
  parts.push_back(
      {fmt::format("{} {} in {}", format_count(state.done), state.unit, format_duration(state.seconds)), 8});
  parts.push_back({speed_of(state), 5});
  add_note(parts, state.note);
  return fitted(std::move(parts), columns);
}

std::string format_duration(double seconds) {
  const auto total = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  const std::uint64_t hours = total / 3600, minutes = total / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60)
                   : fmt::format("{}:{:02}", minutes, total % 60);
}

std::string format_count(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

}  // namespace hasa
