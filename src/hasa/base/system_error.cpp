#include "hasa/base/system_error.h"

#include <cerrno>
#include <cstring>

#include "hasa/base/error.h"

namespace hasa {

void fail_system(const char* action, const std::filesystem::path& path) {
  const int code = errno;
  const bool users = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ELOOP;
  fail(users ? ErrorKind::data : ErrorKind::io, "cannot {} {}: {}", action, path.string(), std::strerror(code));
}

}  // namespace hasa
