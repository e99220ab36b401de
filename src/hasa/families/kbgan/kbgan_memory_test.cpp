#include "hasa/families/kbgan/kbgan_memory.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(KbganMemory, ThatDoesNotFitIsRejectedWithOptionsThatWould) {
  KbganFamily config;  // adamw: a number, its gradient and two of the optimiser
  constexpr std::int64_t kMillion = 1'000'000;
  const std::int64_t more =
      kbgan_training_bytes(config, 9 * kMillion, 10) - kbgan_training_bytes(config, 8 * kMillion, 10);
  EXPECT_EQ(more, kMillion * 4 * 4 * (100 + 100));
  EXPECT_NO_THROW(check_players_fit(config, 5 * kMillion, 1000, 24 * kGiB));
  EXPECT_ERROR(check_players_fit(config, 5 * kMillion, 1000, 12 * kGiB),
               "--set model.dim=50 --set model.generator_dim=50 fits (8.");
  config.model.discriminator = KbganDiscriminator::transd;
  EXPECT_ERROR(check_players_fit(config, 5 * kMillion, 1000, 24 * kGiB), "takes about");
}

}  // namespace
}  // namespace hasa
