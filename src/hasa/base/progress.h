#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "hasa/base/progress_line.h"

namespace hasa {

/// A line that moves while a long job runs, on stderr: fraction done, rate, time left. On a terminal it is redrawn in
/// place twice a second, in the width that the terminal has then (progress_line); elsewhere, and where TERM is dumb,
/// a plain line is written every 10 seconds. Safe to advance from several threads. Nothing is shown for jobs that end
/// within half a second.
class Progress {
 public:
  Progress(std::string title, std::uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t count = 1);
  void set_title(std::string title);
  /// Words shown after the rate, parts of it two spaces apart: "loss 0.94  best valid MRR .671".
  void set_note(std::string note);
  /// Clears the bar and, for a job of half a second or more, leaves one line with the total time.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now, bool last);

  std::mutex mutex_;
  ProgressState state_;
  Clock::time_point start_;
  Clock::time_point next_draw_;
  bool finished_ = false;
};

/// Whether progress is shown at all (--quiet turns it off).
void set_progress_enabled(bool enabled);

/// Wipes a bar that stands on the terminal's current line, so that something else can be written there.
void clear_progress_line();

}  // namespace hasa
