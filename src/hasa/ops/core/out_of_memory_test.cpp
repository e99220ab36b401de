#include "hasa/ops/core/out_of_memory.h"

#include <torch/types.h>

#include <stdexcept>
#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// What work throws, as a caller of fail_if_out_of_memory passes it on.
template <class Work>
void told(const Work& work) {
  try {
    work();
  } catch (const std::exception& problem) {
    fail_if_out_of_memory(problem, "a step of 8 triples", "a smaller train.batch");
    throw;
  }
}

constexpr std::int64_t kTooMuch = std::int64_t{1} << 46;  // 64 TiB: half of what x86-64 can address

TEST(OutOfMemory, OfLibTorchsHostAllocatorSaysHowMuchWasAskedFor) {
  const auto allocate = [] { told([] { (void)torch::empty({kTooMuch}, torch::kUInt8); }); };
  EXPECT_ERROR(allocate(), "out of memory: a step of 8 triples does not fit: 64.0 TiB more were asked for");
  EXPECT_ERROR(allocate(), "try a smaller train.batch");
  EXPECT_ERROR(allocate(), "of the machine's");
  try {
    allocate();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  }
}

TEST(OutOfMemory, OfTheStandardLibraryIsToldTheSameWay) {
  EXPECT_ERROR(told([] { (void)std::vector<char>(kTooMuch); }), "out of memory: a step of 8 triples does not fit; ");
}

TEST(OutOfMemory, IsNotWhatOtherProblemsAre) {
  EXPECT_THROW(told([] { throw std::runtime_error("bytes"); }), std::runtime_error);
  EXPECT_THROW(told([] { (void)torch::ones({2}).mm(torch::ones({3})); }), c10::Error);
}

}  // namespace
}  // namespace hasa
