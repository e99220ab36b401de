#include "hasa/serve/front/event_log.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <nlohmann/json.hpp>

namespace hasa {
namespace {

constexpr std::size_t kMostWaiting = 8192;
constexpr int kPatience = 250;  // milliseconds for whoever reads the log

std::string time_now() {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, now.time_since_epoch().count() % 1000);
}

const char* word_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
    case LogLevel::off: return "off";
  }
  return "info";
}

}  // namespace

EventLog::EventLog(int descriptor) : descriptor_(descriptor), thread_([this] { run(); }) {}

EventLog::~EventLog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void EventLog::write(LogLevel level, std::string_view event, const nlohmann::ordered_json& fields) {
  nlohmann::ordered_json line = {{"time", time_now()}, {"level", word_of(level)}, {"event", event}};
  line.update(fields);
  std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kMostWaiting) {
      ++lost_;
      return;
    }
    lines_.push_back(std::move(text));
  }
  changed_.notify_one();
}

std::uint64_t EventLog::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void EventLog::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !lines_.empty(); });
    if (lines_.empty()) return;
    std::string text;
    if (lost_ > told_lost_) {
      text = fmt::format("{{\"time\":\"{}\",\"level\":\"warning\",\"event\":\"log_lines_lost\",\"lines\":{}}}\n",
                         time_now(), lost_ - told_lost_);
      told_lost_ = lost_;
    }
    std::deque<std::string> lines = std::exchange(lines_, {});
    lock.unlock();
    for (const std::string& line : lines) text += line;
    const bool taken = put(text);
    lock.lock();
    if (!taken) {
      lost_ += lines.size();
      if (ending_) return;
    }
  }
}

bool EventLog::put(std::string_view text) const {
  while (!text.empty()) {
    pollfd ready = {.fd = descriptor_, .events = POLLOUT, .revents = 0};
    const int found = ::poll(&ready, 1, kPatience);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return false;
    // A pipe that is ready takes so many bytes without making us wait.
    const ssize_t count = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace hasa
