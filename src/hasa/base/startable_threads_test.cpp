#include "hasa/base/startable_threads.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(StartableThreads, AreCountedUpToTheNumberAskedFor) {
  EXPECT_EQ(startable_threads(0), 0);
  EXPECT_EQ(startable_threads(5), 5);
}

}  // namespace
}  // namespace hasa
