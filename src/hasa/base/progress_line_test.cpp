#include "hasa/base/progress_line.h"

#include "hasa/base/display_width.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(FormatDuration, ShowsMinutesAndSecondsAndHoursWhereThereAreAny) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(9.4), "0:09");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(192), "3:12");
  EXPECT_EQ(format_duration(3599.5), "1:00:00");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(100 * 3600), "100:00:00");
  EXPECT_EQ(format_duration(-1), "0:00");
}

TEST(FormatCount, SetsACommaBeforeEveryThirdDigit) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(123456), "123,456");
  EXPECT_EQ(format_count(12345678), "12,345,678");
  EXPECT_EQ(format_count(18446744073709551615U), "18,446,744,073,709,551,615");
}

ProgressState training() {
  return {.title = "epoch 3/14",
          .done = 470,
          .total = 1000,
          .unit = "triples",
          .note = "loss 0.940  best valid MRR .671  12,345 tokens/s",
          .seconds = 10};
}

TEST(ProgressLine, TellsEverythingWhereThereIsRoom) {
  EXPECT_EQ(progress_line(training(), 200),
            "epoch 3/14  [#########-----------]   47%  47 triples/s  loss 0.940  best valid MRR .671  12,345 tokens/s  "
            "0:11 left");
}

TEST(ProgressLine, LeavesOutWhatMattersLeastFirst) {
  EXPECT_EQ(progress_line(training(), 100),
            "epoch 3/14  [#########-----------]   47%  loss 0.940  best valid MRR .671  0:11 left");
  EXPECT_EQ(progress_line(training(), 79), "epoch 3/14  [#########-----------]   47%  loss 0.940  0:11 left");
  EXPECT_EQ(progress_line(training(), 39), "epoch 3/14   47%  0:11 left");
  EXPECT_EQ(progress_line(training(), 16), "epoch 3/14   47%");
  EXPECT_EQ(progress_line(training(), 12), "epoch 3/14");
}

TEST(ProgressLine, IsNeverWiderThanItMayBe) {
  ProgressState state = training();
  for (const char* title : {"epoch 3/14", "エンティティを読む",
                            "a title that is longer than most terminals are wide, "
                            "which must be cut as it cannot be left out"}) {
    state.title = title;
    for (std::size_t columns = 0; columns < 220; ++columns) {
      EXPECT_LE(display_width(progress_line(state, columns)), columns) << title;
    }
  }
  state.title = "エンティティを読む";
  EXPECT_EQ(progress_line(state, 8), "エンテ…");
}

TEST(ProgressLine, KnowsNoTimeLeftBeforeAnythingIsDone) {
  ProgressState state = training();
  state.done = 0;
  state.total = 0;
  state.seconds = 0;
  state.note = "";
  EXPECT_EQ(progress_line(state, 79), "epoch 3/14  [--------------------]    0%  0 triples/s  0:00 left");
}

TEST(FinishedLine, HasTheTotalAndTheTime) {
  ProgressState state = training();
  state.note = "";
  EXPECT_EQ(finished_line(state, 79), "epoch 3/14  470 triples in 0:10  47 triples/s");
  EXPECT_EQ(finished_line(state, 40), "epoch 3/14  470 triples in 0:10");
  EXPECT_EQ(finished_line(state, 12), "epoch 3/14");
}

}  // namespace
}  // namespace hasa
