#include "hasa/base/log.h"

#include "hasa/base/log_sink.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

TEST(Log, GoesToStderrAndLeavesStdoutToResults) {
  CaptureStdout();
  CaptureStderr();
  log_info("read {} triples", 3);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("read 3 triples\n"));
  EXPECT_EQ(GetCapturedStdout(), "");
}

TEST(Log, OmitsMessagesBelowTheLevel) {
  CaptureStderr();
  set_log_level(LogLevel::warning);
  log_debug("one");
  log_info("two");
  log_warning("three");
  set_log_level(LogLevel::off);
  log_warning("four");
  log_message(LogLevel::error, "five");
  set_log_level(LogLevel::debug);
  log_debug("six");
  set_log_level(LogLevel::info);
  const std::string shown = GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("warning three"));
  EXPECT_THAT(shown, HasSubstr("debug six"));
  for (const char* hidden : {"one", "two", "four", "five"}) EXPECT_THAT(shown, Not(HasSubstr(hidden)));
}

TEST(Log, GoesToASinkWhereThereIsOne) {
  CaptureStderr();
  std::string sunk;
  set_log_sink([&](LogLevel, const std::string& message) { sunk += message; });
  log_warning("one");
  log_debug("below the level");
  set_log_sink(nullptr);
  log_warning("two");
  EXPECT_EQ(sunk, "one");
  const std::string shown = GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("two"));
  EXPECT_THAT(shown, Not(HasSubstr("one")));
}

TEST(Log, IndentsFurtherLinesOfAMessageToItsFirstPastTheTime) {
  CaptureStderr();
  log_warning("what is wrong\nwhat to do\nand more");
  EXPECT_THAT(GetCapturedStderr(),
              MatchesRegex("..:..:.. warning what is wrong\n         what to do\n         and more\n"));
}

TEST(Log, ShowsBracesOfAMessageAsTheyAre) {
  CaptureStderr();
  log_message(LogLevel::info, "a name with {} and {0}");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("a name with {} and {0}"));
}

}  // namespace
}  // namespace hasa
