#include "hasa/train/schedule_for.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr std::int64_t kSmall = 2 * 240, kWordnet = 2 * 86'835, kFreebase = 2 * 272'115;

TEST(ScheduleFor, GivesLargerGraphsLargerBatches) {
  std::int64_t before = 0;
  for (std::int64_t examples = 2; examples < 100'000'000; examples *= 3) {
    const Schedule schedule = schedule_for(examples, {}, {});
    EXPECT_GE(schedule.batch, before);
    EXPECT_GE(schedule.batch, 32);
    EXPECT_LE(schedule.batch, 2048);
    before = schedule.batch;
  }
  EXPECT_EQ(schedule_for(kSmall, {}, {}).batch, 128);
  EXPECT_EQ(schedule_for(1, {}, {}).batch, 32);
}

TEST(ScheduleFor, GivesEveryGraphStepsToLearnIn) {
  for (std::int64_t examples = 1; examples < 10'000'000; examples = examples * 2 + 1) {
    const Schedule schedule = schedule_for(examples, {}, {});
    EXPECT_GE(steps_of(examples, schedule), 300);
    EXPECT_GE(schedule.epochs, 7);
  }
}

TEST(ScheduleFor, IsWhatWasTunedByHandForTheBenchmarks) {
  EXPECT_EQ(schedule_for(kWordnet, {}, {}).batch, 2048);  // configs/wn18rr_frozen-minilm.yaml
  EXPECT_EQ(schedule_for(kWordnet, {}, {}).epochs, 7);
  EXPECT_EQ(schedule_for(kFreebase, {}, {}).batch, 2048);  // configs/fb15k237_frozen-minilm.yaml, which has 6 epochs
  EXPECT_EQ(schedule_for(kFreebase, {}, {}).epochs, 7);
}

TEST(ScheduleFor, KeepsWhatWasSet) {
  const Schedule epochs_set = schedule_for(kSmall, {.epochs = 3}, {});
  EXPECT_EQ(epochs_set.epochs, 3);
  EXPECT_EQ(epochs_set.batch, 128);
  const Schedule batch_set = schedule_for(kSmall, {.batch = 480}, {});
  EXPECT_EQ(batch_set.batch, 480);
  EXPECT_EQ(batch_set.epochs, 300);  // a step each
  EXPECT_EQ(schedule_for(kSmall, {.batch = 7, .epochs = 2}, {}).batch, 7);
}

TEST(ShortRunWarning, IsForRunsThatCannotLearn) {
  const std::string warning = short_run_warning(2 * 305, {.batch = 256, .epochs = 7}, {});
  EXPECT_NE(warning.find("train.epochs=7 at train.batch=256 is only 21 steps, too few to learn from"),
            std::string::npos);
  EXPECT_NE(warning.find("train.epochs=60 at train.batch=128: 300 steps"), std::string::npos);
  EXPECT_EQ(short_run_warning(2 * 305, schedule_for(2 * 305, {}, {}), {}), "");
  EXPECT_EQ(short_run_warning(kWordnet, {.batch = 2048, .epochs = 6}, {}), "");
}

}  // namespace
}  // namespace hasa
