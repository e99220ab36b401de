#include "hasa/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hasa/base/log_sink.h"
#include "hasa/base/progress.h"

namespace hasa {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    // https://no-color.org: whatever it holds, so long as it holds something.
    const char* no_color = std::getenv("NO_COLOR");
    const bool plain = no_color != nullptr && *no_color != '\0';
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(plain ? spdlog::color_mode::never
                                                                            : spdlog::color_mode::automatic);
    auto made = std::make_shared<spdlog::logger>("hasa", std::move(sink));
    made->set_pattern("%H:%M:%S %^%l%$ %v");
    return made;
  }();
  return *instance;
}

/// Further lines of a message begin below its first, past the time.
std::string with_aligned_lines(std::string message) {
  const std::string margin(std::string_view("00:00:00 ").size(), ' ');
  for (std::size_t at = 0; (at = message.find('\n', at)) != std::string::npos; at += margin.size())
    message.insert(++at, margin);
  return message;
}

LogSink& log_sink() {
  static LogSink sink;
  return sink;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
    case LogLevel::off: return spdlog::level::off;
  }
  return spdlog::level::info;
}

}  // namespace

void set_log_level(LogLevel level) { logger().set_level(to_spdlog(level)); }

void set_log_sink(LogSink sink) { log_sink() = std::move(sink); }

void log_message(LogLevel level, const std::string& message) {
  if (log_sink()) {
    if (logger().should_log(to_spdlog(level))) log_sink()(level, message);
    return;
  }
  clear_progress_line();
  logger().log(to_spdlog(level), with_aligned_lines(message));
}

}  // namespace hasa
