#include "hasa/eval/training_curve.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(TrainingCurve, ReadsLossAndValidationMrrIfPresent) {
  const auto curve = parse_training_curve(
      "{\"epoch\":1,\"loss\":5.5}\n"
      "{\"epoch\":2,\"loss\":4.5,\"valid\":{\"all\":{\"mrr\":0.25}}}\n"
      "{\"epoch\":3,\"loss\":null}\n");
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[0].loss, 5.5);
  EXPECT_EQ(curve[0].valid_mrr, std::nullopt);
  EXPECT_EQ(curve[1].epoch, 2);
  EXPECT_EQ(curve[1].valid_mrr, 0.25);
  EXPECT_EQ(curve[2].loss, std::nullopt);  // what is not finite is null
}

TEST(TrainingCurve, SkipsIncompleteLines) {
  EXPECT_EQ(parse_training_curve("{\"epoch\":1}\n\nnull\n[3]\n{\"epoch\":2,\"lo").size(), 1U);
  EXPECT_TRUE(parse_training_curve("").empty());
  EXPECT_TRUE(read_training_curve("/nowhere/metrics.jsonl").empty());
}

}  // namespace
}  // namespace hasa
