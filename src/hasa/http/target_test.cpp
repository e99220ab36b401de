#include "hasa/http/target.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::Pair;

TEST(PathSegments, AreDecodedOneByOneSoThatAnEncodedSlashSeparatesNothing) {
  EXPECT_THAT(path_segments("/v1/entities/a%2Fb"), Optional(ElementsAre("v1", "entities", "a/b")));
  EXPECT_THAT(path_segments("/caf%C3%A9+au%20lait"), Optional(ElementsAre("café+au lait")));
}

TEST(PathSegments, OfTheRootAreNone) { EXPECT_THAT(path_segments("/"), Optional(ElementsAre())); }

TEST(PathSegments, AreRefusedWhenOneDoesNotDecode) {
  for (const char* path : {"/%", "/%4", "/%zz", "/ok/%C3", "/%00", "/%ED%A0%80"}) {
    EXPECT_EQ(path_segments(path), std::nullopt) << path;
  }
}

TEST(QueryParameters, KeepTheirOrderAndTakeAPlusForASpace) {
  EXPECT_THAT(query_parameters("q=big+dog&limit=5&q=%2B&flag"),
              Optional(ElementsAre(Pair("q", "big dog"), Pair("limit", "5"), Pair("q", "+"), Pair("flag", ""))));
}

TEST(QueryParameters, MayHoldEqualSignsAndEmptyOnes) {
  EXPECT_THAT(query_parameters("a=b=c&&d="), Optional(ElementsAre(Pair("a", "b=c"), Pair("d", ""))));
  EXPECT_THAT(query_parameters(""), Optional(ElementsAre()));
}

TEST(QueryParameters, AreRefusedWhenOneDoesNotDecode) { EXPECT_EQ(query_parameters("a=1&b=%"), std::nullopt); }

}  // namespace
}  // namespace hasa
