#include "hasa/base/error.h"

#include <string>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(HasaCheck, ThrowsTheFormattedMessageWithItsKind) {
  try {
    HASA_CHECK(1 + 1 == 3, numeric, "{} is not {}", "two", 3);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "two is not 3");
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
  }
}

TEST(HasaCheck, DoesNotWorkOutTheMessageWhenAllIsWell) {
  int evaluated = 0;
  HASA_CHECK(true, data, "{}", ++evaluated);
  EXPECT_EQ(evaluated, 0);
}

TEST(HasaCheck, IsOneStatementUnderAnIf) {
  bool other_branch = false;
  if (std::string().size() > 1)
    HASA_CHECK(false, data, "not reached");
  else
    other_branch = true;
  EXPECT_TRUE(other_branch);
}

TEST(HasaAssert, EndsTheProgramWithTheConditionAndThePlace) {
  HASA_ASSERT(true);
  EXPECT_DEATH(HASA_ASSERT(2 < 1), "internal error: 2 < 1 does not hold .*error_test.cpp");
}

TEST(ErrorKind, HasAWordForEach) {
  EXPECT_STREQ(to_string(ErrorKind::config), "config");
  EXPECT_STREQ(to_string(ErrorKind::data), "data");
  EXPECT_STREQ(to_string(ErrorKind::io), "io");
  EXPECT_STREQ(to_string(ErrorKind::shape), "shape");
  EXPECT_STREQ(to_string(ErrorKind::numeric), "numeric");
  EXPECT_STREQ(to_string(ErrorKind::unavailable), "unavailable");
}

}  // namespace
}  // namespace hasa
