#include "hasa/base/progress.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "hasa/base/terminal_columns.h"

namespace hasa {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr auto kQuietStart = milliseconds(500);
constexpr auto kTerminalInterval = milliseconds(500);
constexpr auto kPlainInterval = milliseconds(10'000);
constexpr std::size_t kUsualColumns = 80;

std::atomic<bool> enabled{true};
std::atomic<bool> line_in_use{false};

/// One that can go back to the start of a line.
bool on_terminal() {
  static const bool dumb = [] {
    const char* kind = std::getenv("TERM");
    return kind != nullptr && std::string_view(kind) == "dumb";
  }();
  return !dumb && ::isatty(STDERR_FILENO) != 0;
}

/// Asked anew for each line, since windows are resized. The last column stays free: some terminals wrap as soon as it
/// is written to. A log has no width.
std::size_t columns() {
  if (!on_terminal()) return std::string::npos;
  return terminal_columns(STDERR_FILENO).value_or(kUsualColumns) - 1;
}

}  // namespace

void set_progress_enabled(bool value) { enabled = value; }

void clear_progress_line() {
  if (line_in_use.exchange(false)) std::fputs("\r\x1b[K", stderr);
}

Progress::Progress(std::string title, std::uint64_t total, std::string unit)
    : state_{.title = std::move(title), .total = total, .unit = std::move(unit)},
      start_(Clock::now()),
      next_draw_(start_ + (on_terminal() ? kQuietStart : kPlainInterval)) {}

Progress::~Progress() { finish(); }

void Progress::advance(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  state_.done += count;
  const auto now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + (on_terminal() ? kTerminalInterval : kPlainInterval);
  draw(now, false);
}

void Progress::set_title(std::string title) {
  const std::lock_guard lock(mutex_);
  state_.title = std::move(title);
}

void Progress::set_note(std::string note) {
  const std::lock_guard lock(mutex_);
  state_.note = std::move(note);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  clear_progress_line();
  if (Clock::now() - start_ >= kQuietStart) draw(Clock::now(), true);
}

void Progress::draw(Clock::time_point now, bool last) {
  if (!enabled) return;
  state_.seconds = duration<double>(now - start_).count();
  const bool in_place = !last && on_terminal();
  const std::string line = last ? finished_line(state_, columns()) : progress_line(state_, columns());
  clear_progress_line();
  std::fputs(line.c_str(), stderr);
  if (!in_place) std::fputc('\n', stderr);
  line_in_use = in_place;
  std::fflush(stderr);
}

}  // namespace hasa
