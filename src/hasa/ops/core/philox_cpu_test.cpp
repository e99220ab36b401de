#include "hasa/ops/core/philox_cpu.h"

#include <array>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(PhiloxCpu, GivesSixteenCountersWhatEachHasAlone) {
  for (const std::uint64_t counter : {0ULL, 5ULL, 0xfffffff8ULL, 0x12345678ffffffffULL, 0xfffffffffffffff8ULL}) {
    for (const std::uint64_t key : {0ULL, 7ULL, 0xfedcba9876543210ULL}) {
      std::array<EightDraws, 16> all{};
      cpu::run_for_this_cpu([&]() __attribute__((always_inline)) { cpu::sixteen_philox(counter, key, all.data()); });
      for (std::size_t i = 0; i < all.size(); ++i) {
        const EightDraws alone = philox(counter + i, key);
        for (int draw = 0; draw < 8; ++draw) EXPECT_EQ(all[i][draw], alone[draw]) << counter << " + " << i;
      }
    }
  }
}

}  // namespace
}  // namespace hasa
