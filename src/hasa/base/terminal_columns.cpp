#include "hasa/base/terminal_columns.h"

#include <sys/ioctl.h>

namespace hasa {

std::optional<std::size_t> terminal_columns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace hasa
