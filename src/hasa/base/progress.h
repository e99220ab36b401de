#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "hasa/base/progress_line.h"

namespace hasa {

/// A progress bar for long jobs, on stderr: fraction done, rate, time left.
/// On a terminal it is redrawn in place twice a second, in the
/// terminal's current width (progress_line); elsewhere, and if TERM is dumb, a plain line
/// is written every 10 seconds. Thread-safe. Nothing is shown for jobs shorter than half a second.
class Progress {
 public:
  Progress(std::string title, std::uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t count = 1);
  void set_title(std::string title);
  /// A note shown after the rate, its parts separated by two spaces: "loss 0.94  best valid MRR .671".
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

/// Clears a bar from the terminal's current line, so that something else can be written there.
void clear_progress_line();

}  // namespace hasa
