#include "hasa/serve/known_links.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Entities a b c d are 0 to 3, relations r and s 0 and 1; their inverses 2 and 3.
Graph graph() {
  return parse_benchmark({"small",
                          {"train.txt", "a\tr\tb\nb\tr\tc\nc\ts\tc\nd\tr\tb\n"},
                          {"valid.txt", "a\tr\tc\n"},
                          {"test.txt", "b\ts\ta\n"},
                          {},
                          {}});
}

TEST(KnownLinks, FindsALinkFromEitherEndWithItsSplit) {
  const Graph g = graph();
  const KnownLinks known(g);
  EXPECT_EQ(known.split_of(0, 0, 1), Split::train);
  EXPECT_EQ(known.split_of(1, 2, 0), Split::train);
  EXPECT_EQ(known.split_of(0, 0, 2), Split::valid);
  EXPECT_EQ(known.split_of(0, 3, 1), Split::test);
  EXPECT_EQ(known.split_of(0, 0, 3), std::nullopt);
  EXPECT_THAT(known.tails(Split::train, 1, 2), ElementsAre(0, 3));
}

TEST(KnownLinks, ListsWhoBearsARelationOnceEach) {
  const Graph g = graph();
  const KnownLinks known(g);
  EXPECT_THAT(known.bearers(0), ElementsAre(0, 1, 3));
  EXPECT_THAT(known.bearers(2), ElementsAre(1, 2));
  EXPECT_THAT(known.bearers(3), ElementsAre(0, 2));
  EXPECT_TRUE(known.bears(3, 0));
  EXPECT_FALSE(known.bears(3, 2));
}

TEST(KnownLinks, TellsOfLoopsInBothDirections) {
  const Graph g = graph();
  const KnownLinks known(g);
  EXPECT_FALSE(known.has_loop(0));
  EXPECT_TRUE(known.has_loop(1));
  EXPECT_TRUE(known.has_loop(3));
}

}  // namespace
}  // namespace hasa
