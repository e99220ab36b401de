#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace hasa {

enum class LogLevel { debug, info, warning, error, off };

/// Logs go to stderr, results to stdout; an active progress bar is cleared before a line is written.
void set_log_level(LogLevel level);
void log_message(LogLevel level, const std::string& message);

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_message(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hasa
