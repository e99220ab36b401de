#include "hasa/base/rng.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Rng, IsXoshiro256PlusPlus) {
  // The outputs of the authors' C code from this state, as rand_xoshiro for Rust records them too.
  Rng rng(0);
  rng.set_state({1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL,
        9973669472204895162ULL, 14011001112246962877ULL, 12406186145184390807ULL}) {
    EXPECT_EQ(rng.next(), expected);
  }
}

TEST(Rng, GivesTheSameNumbersForTheSameSeedAndStream) {
  Rng a(7, "shuffle", 3), b(7, "shuffle", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Rng, GivesOtherNumbersForAnotherSeedNameOrNumber) {
  std::set<std::uint64_t> firsts;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const char* stream : {"", "a", "b"}) {
      for (const std::uint64_t number : {0, 1, 2}) firsts.insert(Rng(seed, stream, number).next());
    }
  }
  EXPECT_EQ(firsts.size(), 27U);
}

TEST(Rng, ContinuesFromASavedState) {
  Rng rng(5);
  for (int i = 0; i < 10; ++i) rng.next();
  const Rng::State state = rng.state();
  const std::uint64_t first = rng.next(), second = rng.next();
  Rng later(999);
  later.set_state(state);
  EXPECT_EQ(later.next(), first);
  EXPECT_EQ(later.next(), second);
}

TEST(Rng, DrawsBelowABoundWithoutBias) {
  // Chi-square with 6 degrees of freedom: a fair generator exceeds 22.46 once in a thousand times, and the
  // seed is fixed.
  constexpr int kDraws = 70'000, kBound = 7;
  Rng rng(1);
  std::vector<int> counts(kBound, 0);
  for (int i = 0; i < kDraws; ++i) ++counts[rng.below(kBound)];
  double chi_square = 0;
  const double expected = static_cast<double>(kDraws) / kBound;
  for (const int count : counts) chi_square += std::pow(count - expected, 2) / expected;
  EXPECT_LT(chi_square, 22.46);
}

TEST(Rng, DrawsBelowAHugeBoundWithoutBias) {
  // A bound of 3/4 of the range: the plain remainder would fall into the first third twice as often.
  constexpr std::uint64_t kThird = std::uint64_t{1} << 62;
  Rng rng(1);
  int in_first_third = 0;
  for (int i = 0; i < 30'000; ++i) in_first_third += rng.below(3 * kThird) < kThird ? 1 : 0;
  EXPECT_NEAR(in_first_third, 10'000, 5 * std::sqrt(30'000 * 2.0 / 9));
}

TEST(Rng, DrawsOnlyZeroBelowOne) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, DrawsUniformNumbersFromZeroToBelowOne) {
  Rng rng(3);
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = rng.uniform();
    sum += x;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / 10'000, 0.5, 5 / std::sqrt(12.0 * 10'000));
  EXPECT_LT(least, 0.01);
  EXPECT_GT(most, 0.99);
}

TEST(Rng, ShufflesToEveryOrderEquallyOften) {
  std::vector<std::vector<int>> orders;
  Rng rng(2);
  for (int i = 0; i < 6'000; ++i) {
    std::vector<int> values{1, 2, 3};
    rng.shuffle(values);
    orders.push_back(values);
  }
  std::vector<int> order{1, 2, 3};
  do {
    EXPECT_NEAR(std::count(orders.begin(), orders.end(), order), 1'000, 5 * std::sqrt(6'000 * 5.0 / 36));
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace hasa
