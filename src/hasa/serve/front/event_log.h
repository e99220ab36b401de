#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "hasa/base/log.h"

namespace hasa {

/// A log of one JSON object a line: {"time": "2026-01-31T12:00:00.123Z", "level": "info", "event": "request", ...}.
/// Lines are written by a thread of its own: whoever logs never waits for the disk or the pipe behind it. Where that
/// stalls, lines are lost, and counted in a line of their own.
class EventLog {
 public:
  /// `descriptor` stays the caller's.
  explicit EventLog(int descriptor);
  /// Writes what waits, unless nobody takes it.
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// `fields` is an object; its fields follow time, level and event. From any thread.
  void write(LogLevel level, std::string_view event, const nlohmann::ordered_json& fields);
  std::uint64_t lost() const;

 private:
  void run();
  /// False where nobody took it in time.
  bool put(std::string_view line) const;

  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::uint64_t lost_ = 0, told_lost_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace hasa
