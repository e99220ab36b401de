#include "hasa/kg/string_table.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

StringTable reopened(const testing::TempDir& folder, std::string_view chars,
                     const std::vector<std::uint64_t>& offsets) {
  ArchiveWriter writer("test", 1);
  writer.add("s", chars);
  writer.add("s.offsets", offsets);
  writer.save(folder / "file");
  static std::vector<Archive> archives;  // tables view them
  archives.reserve(100);
  return StringTable::view(archives.emplace_back(folder / "file", "test", 1), "s");
}

TEST(StringTable, GivesBackWhatWasAddedEmptyStringsToo) {
  StringTable table;
  for (const char* text : {"dog", "", "grüße", ""}) table.add(text);
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table[0], "dog");
  EXPECT_EQ(table[1], "");
  EXPECT_EQ(table[2], "grüße");
  EXPECT_EQ(table[3], "");
}

TEST(StringTable, StaysItselfWhenMoved) {
  StringTable table;
  table.add("dog");
  const StringTable moved = std::move(table);
  EXPECT_EQ(moved[0], "dog");
}

TEST(StringTable, IsTheSameWhenMapped) {
  const testing::TempDir folder;
  const StringTable table = reopened(folder, "dogcat", {0, 3, 3, 6});
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0], "dog");
  EXPECT_EQ(table[1], "");
  EXPECT_EQ(table[2], "cat");
}

TEST(StringTable, MapsAnEmptyTable) {
  const testing::TempDir folder;
  EXPECT_EQ(reopened(folder, "", {}).size(), 0U);
  EXPECT_EQ(reopened(folder, "", {0}).size(), 0U);
}

TEST(StringTable, RefusesOffsetsThatDoNotFitTheCharacters) {
  const testing::TempDir folder;
  EXPECT_ERROR(reopened(folder, "dogcat", {0, 3}), "do not cover");
  EXPECT_ERROR(reopened(folder, "dogcat", {1, 6}), "do not cover");
  EXPECT_ERROR(reopened(folder, "dogcat", {}), "characters but no strings");
  EXPECT_ERROR(reopened(folder, "dogcat", {0, 4, 3, 6}), "string 1 of s");
  EXPECT_ERROR(reopened(folder, "dogcat", {0, 400, 6}), "string 0 of s");
}

TEST(StringTable, RefusesStringsThatAreNotUtf8) {
  const testing::TempDir folder;
  EXPECT_ERROR(reopened(folder, "a\xFFz", {0, 3}), "not UTF-8");
  EXPECT_ERROR(reopened(folder, "\xC3\xA9", {0, 1, 2}), "string 0 of s");  // cut through é
}

}  // namespace
}  // namespace hasa
