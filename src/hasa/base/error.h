#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace hasa {

/// The kind of an error, which one place maps to exit codes and another to HTTP statuses.
enum class ErrorKind {
  config,       ///< an option or argument the user gave is wrong
  data,         ///< a file or name the user gave is missing, malformed or inconsistent
  io,           ///< the system refused: disk full, permission, broken pipe
  shape,        ///< tensors whose shapes or dtypes do not match
  numeric,      ///< NaN, overflow, a value outside its domain
  unavailable,  ///< something this machine or build lacks: a GPU, a kernel, memory
};

const char* to_string(ErrorKind kind);

/// The one exception of the project. The message says what was wrong, where, and what to do; a second
/// line, if any, is the advice.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

/// Calls std::abort: an internal error, not the caller's.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace hasa

/// The caller's mistake: HASA_CHECK(rank > 0, shape, "expected a matrix, got rank {}", rank).
#define HASA_CHECK(condition, kind, ...)                  \
  do {                                                    \
    if (!(condition)) [[unlikely]]                        \
      ::hasa::fail(::hasa::ErrorKind::kind, __VA_ARGS__); \
  } while (false)

/// Our mistake.
#define HASA_ASSERT(condition)                                  \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::hasa::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)
