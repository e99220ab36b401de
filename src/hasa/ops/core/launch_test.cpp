#include "hasa/ops/core/launch.h"

#include "hasa/base/testing.h"

namespace hasa::kernels {
namespace {

TEST(Launch, NamesTheKernelItsShapeAndTheReasonWhenItFails) {
  const LaunchSize size{{7, 2, 1}, {128, 1, 1}, 50000};
  EXPECT_EQ(launch_error_text("rank_kernel", size, "invalid configuration argument", true),
            "the GPU did not start rank_kernel (grid 7 x 2 x 1, block 128 x 1 x 1, 50000 bytes of shared memory): "
            "invalid configuration argument");
}

TEST(Launch, SaysHowToFindAnEarlierKernelThatFailedWhileItRan) {
  EXPECT_THAT(launch_error_text("rank_kernel", {}, "an illegal memory access was encountered", false),
              ::testing::HasSubstr("CUDA_LAUNCH_BLOCKING=1 names that one instead"));
}

}  // namespace
}  // namespace hasa::kernels
