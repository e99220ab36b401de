#include "hasa/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <utility>

namespace hasa {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr auto kQuietStart = milliseconds(500);
constexpr auto kTerminalInterval = milliseconds(100);
constexpr auto kPlainInterval = milliseconds(10'000);
constexpr int kBarWidth = 20;

std::atomic<bool> enabled{true};
std::atomic<bool> line_in_use{false};

bool on_terminal() { return ::isatty(STDERR_FILENO) != 0; }

std::string bar(double share) {
  const int filled = static_cast<int>(share * kBarWidth);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "]";
}

}  // namespace

void set_progress_enabled(bool value) { enabled = value; }

void clear_progress_line() {
  if (line_in_use.exchange(false)) std::fputs("\r\x1b[K", stderr);
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

Progress::Progress(std::string title, std::uint64_t total, std::string unit)
    : title_(std::move(title)),
      total_(total),
      unit_(std::move(unit)),
      start_(Clock::now()),
      next_draw_(start_ + (on_terminal() ? kQuietStart : kPlainInterval)) {}

Progress::~Progress() { finish(); }

void Progress::advance(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  const auto now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + (on_terminal() ? kTerminalInterval : kPlainInterval);
  draw(now, false);
}

void Progress::set_title(std::string title) {
  const std::lock_guard lock(mutex_);
  title_ = std::move(title);
}

void Progress::set_note(std::string note) {
  const std::lock_guard lock(mutex_);
  note_ = std::move(note);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  clear_progress_line();
  if (Clock::now() - start_ >= kQuietStart) draw(Clock::now(), true);
}

void Progress::draw(Clock::time_point now, bool last) {
  if (!enabled) return;
  const double seconds = duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const double share = total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 0;
  const std::string speed = fmt::format("{} {}/s", format_count(static_cast<std::uint64_t>(rate)), unit_);
  const std::string note = note_.empty() ? "" : "  " + note_;
  std::string line;
  if (last) {
    line =
        fmt::format("{}  {} {} in {}  {}{}", title_, format_count(done_), unit_, format_duration(seconds), speed, note);
  } else {
    const double left = rate > 0 && total_ > done_ ? static_cast<double>(total_ - done_) / rate : 0;
    line = fmt::format("{}  {} {:3.0f}%  {}{}  {} left", title_, bar(share), share * 100, speed, note,
                       format_duration(left));
  }
  clear_progress_line();
  std::fputs(line.c_str(), stderr);
  if (last || !on_terminal()) {
    std::fputc('\n', stderr);
  } else {
    line_in_use = true;
  }
  std::fflush(stderr);
}

}  // namespace hasa
