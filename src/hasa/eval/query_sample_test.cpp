#include "hasa/eval/query_sample.h"

#include <set>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using Places = std::vector<std::size_t>;

TEST(QuerySample, TakesEveryQueryWhereNoneOrAllAreAskedFor) {
  for (const std::int64_t count : {0, 4, 9}) EXPECT_EQ(places_of({.queries = count}, 4), (Places{0, 1, 2, 3}));
}

TEST(QuerySample, HasAsManyDistinctPlacesAsAskedForInTheirOrder) {
  const Places places = places_of({.queries = 30}, 100);
  EXPECT_EQ(places.size(), 30U);
  EXPECT_EQ(std::set<std::size_t>(places.begin(), places.end()).size(), 30U);
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  EXPECT_LT(places.back(), 100U);
}

TEST(QuerySample, IsPartOfEveryLargerOneOfTheSameSeed) {
  const Places small = places_of({.queries = 20, .seed = 3}, 100), large = places_of({.queries = 50, .seed = 3}, 100);
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
  EXPECT_NE(small, places_of({.queries = 20, .seed = 4}, 100));
}

TEST(QuerySample, DrawsEveryPlaceEquallyOften) {
  std::vector<int> drawn(10);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    for (const std::size_t place : places_of({.queries = 3, .seed = seed}, 10)) ++drawn[place];
  }
  // 900 of each, with a standard deviation of 25.
  for (const int count : drawn) EXPECT_NEAR(count, 900, 125);
}

}  // namespace
}  // namespace hasa
