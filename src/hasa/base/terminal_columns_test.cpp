#include "hasa/base/terminal_columns.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace hasa {
namespace {

TEST(TerminalColumns, AreThoseOfTheTerminalAfterEachResize) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  for (const unsigned short width : {57, 132}) {
    const winsize size{.ws_row = 24, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &size), 0);
    EXPECT_EQ(terminal_columns(terminal), width);
  }
  const winsize unknown{};
  ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &unknown), 0);
  EXPECT_EQ(terminal_columns(terminal), std::nullopt);
  ::close(terminal);
}

TEST(TerminalColumns, AreNoneOfAFile) {
  const int file = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(file, 0);
  EXPECT_EQ(terminal_columns(file), std::nullopt);
  ::close(file);
}

}  // namespace
}  // namespace hasa
