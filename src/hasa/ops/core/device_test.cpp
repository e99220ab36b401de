#include "hasa/ops/core/device.h"

#include <gtest/gtest.h>

#include <limits>

#include "hasa/base/error.h"

namespace hasa {
namespace {

TEST(Device, IsNamedAsTheUserWroteIt) {
  EXPECT_TRUE(parse_device("cpu").is_cpu());
  EXPECT_THROW(parse_device("gpu"), Error);
  EXPECT_THROW(parse_device("cuda:x"), Error);
}

// Run by itself, as ctest does, this is the first that is asked of the GPU.
TEST(DeviceGpu, TakesACapBeforeAnythingElse) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const torch::Device device(torch::kCUDA, 0);
  cap_device_bytes(device, std::int64_t{1} << 30);
  EXPECT_NEAR(static_cast<double>(device_memory_bytes(device)), static_cast<double>(std::int64_t{1} << 30), 1 << 20);
  EXPECT_ANY_THROW(torch::empty({std::int64_t{2} << 30}, torch::dtype(torch::kInt8).device(device)));
  cap_device_bytes(device, std::numeric_limits<std::int64_t>::max());  // for others in this process
}

}  // namespace
}  // namespace hasa
