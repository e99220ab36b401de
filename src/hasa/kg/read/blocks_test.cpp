#include "hasa/kg/read/blocks.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<std::string> blocks_of(const std::string& text, const RecordFormat& format, std::size_t size) {
  ByteSource source = ByteSource::of_memory("f", text);
  Blocks blocks(source, size);
  blocks.set_format(format);
  std::vector<std::string> all;
  for (std::string block; blocks.next(block);) all.push_back(block);
  return all;
}

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("line {}\n", i * 7919);
  return text;
}

TEST(Blocks, EndWhereLinesEndAndTogetherAreTheWhole) {
  const std::string text = many_lines() + "no line end";
  for (const std::size_t size : {16UL, 1000UL, 1UL << 22}) {
    std::string joined;
    const auto blocks = blocks_of(text, RecordFormat::tsv, size);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      joined += blocks[i];
      ASSERT_TRUE(i + 1 == blocks.size() || blocks[i].back() == '\n');
    }
    ASSERT_EQ(joined, text);
  }
}

TEST(Blocks, NeverCutAQuotedFieldThatGoesOverLines) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("a{},\"r\n\"\"{}\n\",b\r\n", i, i);
  for (const std::size_t size : {1UL, 13UL, 100UL, 100'000UL}) {
    std::string joined;
    std::size_t records = 0;
    for (const std::string& block : blocks_of(text, RecordFormat::csv, size)) {
      joined += block;
      RecordReader reader(block, RecordFormat::csv);
      for (Record record; reader.next(record); ++records) {
        ASSERT_EQ(record.bad_quoting, nullptr) << block;
        ASSERT_EQ(record.count, 3U) << block;
      }
    }
    EXPECT_EQ(joined, text);
    EXPECT_EQ(records, 100U);
  }
}

TEST(Blocks, LeaveTheByteOrderMarkOut) {
  EXPECT_THAT(blocks_of("\xEF\xBB\xBF"
                        "a\n",
                        RecordFormat::tsv, 100),
              ::testing::ElementsAre("a\n"));
}

}  // namespace
}  // namespace hasa
