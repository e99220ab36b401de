#include "hasa/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace hasa {

const char* to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::config: return "config";
    case ErrorKind::data: return "data";
    case ErrorKind::io: return "io";
    case ErrorKind::shape: return "shape";
    case ErrorKind::numeric: return "numeric";
    case ErrorKind::unavailable: return "unavailable";
  }
  return "unknown";
}

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "internal error: %s does not hold (%s:%d); please report it\n", condition, file, line);
  std::abort();
}

}  // namespace hasa
