#include "hasa/nn/packed_tokens.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(PackedTokens, ChosenRowsAreLaidEndToEndInTheOrderGiven) {
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> offsets = {0, 1, 3, 6}, chosen = {2, 0};
  const PackedTokens packed = pack(TokenRows{ids, offsets}, chosen);
  EXPECT_TRUE(packed.ids.equal(torch::tensor({4, 5, 6, 1}, torch::kInt32)));
  EXPECT_TRUE(packed.offsets.equal(torch::tensor({0, 3, 4}, torch::kInt32)));
  EXPECT_EQ(packed.longest, 3);
  EXPECT_EQ(packed.texts(), 2);
  EXPECT_EQ(packed.tokens(), 4);
}

TEST(PackedTokens, SegmentsOfATripleAreKeptThoughItsLastTextIsInTheFirst) {
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5, 6}, segments = {0, 1, 0, 0, 0, 0};
  const std::vector<std::int64_t> offsets = {0, 3, 6}, second = {1};
  const TokenRows rows{ids, offsets, segments};
  EXPECT_TRUE(pack(rows).segments.equal(torch::tensor({0, 1, 0, 0, 0, 0}, torch::kInt32)));
  EXPECT_FALSE(pack(rows, second).segments.defined());  // all in segment 0
}

TEST(PackedTokens, SoftTokensOfChosenRowsKeepTheirKeysAndAreNumberedAnew) {
  const std::vector<std::int32_t> ids = {7, -1, 8, 9, -2, -3};
  const std::vector<std::int64_t> offsets = {0, 2, 3, 6}, keys = {500, 600, 700}, turned = {2, 0}, words = {1};
  const TokenRows rows{.ids = ids, .offsets = offsets, .soft = keys};
  const PackedTokens packed = pack(rows, turned);
  EXPECT_TRUE(packed.ids.equal(torch::tensor({9, -1, -2, 7, -3}, torch::kInt32)));
  EXPECT_TRUE(packed.soft.equal(torch::tensor({600, 700, 500}, torch::kInt64)));
  EXPECT_FALSE(pack(rows, words).soft.defined());
}

TEST(PackedTokens, SpansAreMovedToWhereTheirTextsBegin) {
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5, 6, 7}, spans = {1, 2, 0, 3};
  const std::vector<std::int64_t> offsets = {0, 3, 7}, turned = {1, 0};
  const TokenRows rows{ids, offsets, {}, spans};
  EXPECT_TRUE(pack(rows).spans.equal(torch::tensor({1, 2, 3, 6}, torch::kInt32).view({2, 2})));
  EXPECT_TRUE(pack(rows, turned).spans.equal(torch::tensor({0, 3, 5, 6}, torch::kInt32).view({2, 2})));
  EXPECT_FALSE(pack(TokenRows{ids, offsets}).spans.defined());
}

TEST(PackedTokens, BatchesHoldAsManyRowsAsTheirTokensAllowAndALongRowAlone) {
  const std::vector<std::int32_t> ids(17);
  const std::vector<std::int64_t> offsets = {0, 2, 4, 11, 13, 15, 17}, order = {0, 1, 2, 3, 4, 5};
  std::vector<std::size_t> sizes;
  for (const auto& batch : batches_within({ids, offsets}, order, 4)) sizes.push_back(batch.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 2, 1}));
  EXPECT_TRUE(batches_within({ids, offsets}, {}, 4).empty());
}

TEST(PackedTokens, PositionsStartAgainWithEveryText) {
  EXPECT_TRUE(
      positions_in_text(pack_texts({{7, 7, 7}, {7}, {7, 7}})).equal(torch::tensor({0, 1, 2, 0, 0, 1}, torch::kInt64)));
}

TEST(PackedTokens, NoRowsMakeAnEmptyBatch) {
  const PackedTokens packed = pack(TokenRows{});
  EXPECT_EQ(packed.texts(), 0);
  EXPECT_EQ(packed.tokens(), 0);
  EXPECT_EQ(positions_in_text(packed).size(0), 0);
}

}  // namespace
}  // namespace hasa
