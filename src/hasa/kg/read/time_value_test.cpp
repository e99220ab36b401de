#include "hasa/kg/read/time_value.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(TimeValue, CountsSecondsFromTheBeginningOf1970) {
  // Expected values are those of `date -u -d ... +%s`.
  const auto date = [](const char* text) { return time_in(text, TimeForm::date); };
  EXPECT_EQ(date("1970-01-01"), 0);
  EXPECT_EQ(date("2014-05-01"), 1398902400);
  EXPECT_EQ(date("2014-05-01T12:30:05Z"), 1398947405);
  EXPECT_EQ(date("2014-05-01 12:30"), 1398947400);
  EXPECT_EQ(date("2014-05-01T12:30:05.75"), 1398947405);
  EXPECT_EQ(date("2014"), date("2014-01-01"));
  EXPECT_EQ(date("2014-05"), date("2014-05-01"));
  EXPECT_LT(*date("-0044-03-15"), *date("0001-01-01"));
}

TEST(TimeValue, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "soon", "2014-13-01", "2014-02-30", "2014-05-01T25", "2014-05-01x", "2014-05-01T1:2:3:4"})
    EXPECT_FALSE(time_in(text, TimeForm::date).has_value()) << text;
  EXPECT_EQ(time_in("-12", TimeForm::number), -12);
  EXPECT_FALSE(time_in("12.5", TimeForm::number).has_value());
}

}  // namespace
}  // namespace hasa
