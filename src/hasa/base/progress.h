#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace hasa {

/// A line that moves while a long job runs, on stderr: share done, rate, time left. On a terminal it is
/// redrawn in place; elsewhere a plain line is written every 10 seconds or so. Safe to advance from
/// several threads. Nothing is shown for jobs that end within half a second.
///
///   encoding  [#########-----------]  47%  3,412 texts/s  0:12 left
class Progress {
 public:
  Progress(std::string title, std::uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t count = 1);
  void set_title(std::string title);
  /// Words shown after the rate, such as "loss 0.94".
  void set_note(std::string note);
  /// Clears the bar and, for a job of half a second or more, leaves one line with the total time.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now, bool last);

  std::mutex mutex_;
  std::string title_;
  std::uint64_t total_;
  std::string unit_;
  std::string note_;
  std::uint64_t done_ = 0;
  Clock::time_point start_;
  Clock::time_point next_draw_;
  bool finished_ = false;
};

/// Whether progress is shown at all (--quiet turns it off).
void set_progress_enabled(bool enabled);

/// Wipes a bar that stands on the terminal's current line, so that something else can be written there.
void clear_progress_line();

/// "3:12" or "1:02:03".
std::string format_duration(double seconds);
/// 12345678 -> "12,345,678".
std::string format_count(std::uint64_t value);

}  // namespace hasa
