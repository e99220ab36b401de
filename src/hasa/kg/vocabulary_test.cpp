#include "hasa/kg/vocabulary.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// Of a vocabulary written by hand, with whatever slots.
Vocabulary with_slots(const testing::TempDir& folder, const std::vector<std::uint64_t>& slots) {
  ArchiveWriter writer("test", 1);
  const std::vector<std::uint64_t> offsets = {0, 1, 2};
  writer.add("v", std::string_view("ab"));
  writer.add("v.offsets", offsets);
  writer.add("v.slots", slots);
  writer.save(folder / "file");
  const Archive archive(folder / "file", "test", 1);
  return Vocabulary::view(archive, "v");
}

TEST(Vocabulary, NumbersStringsInTheOrderTheyCome) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.add("dog"), 0);
  EXPECT_EQ(vocabulary.add("cat"), 1);
  EXPECT_EQ(vocabulary.add("dog"), 0);
  EXPECT_EQ(vocabulary.size(), 2U);
  EXPECT_EQ(vocabulary[1], "cat");
}

TEST(Vocabulary, FindsNothingInAnEmptyOne) { EXPECT_EQ(Vocabulary().find("dog"), std::nullopt); }

TEST(Vocabulary, FindsAllOfAHundredThousandAndNothingElse) {
  Vocabulary vocabulary;
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(vocabulary.add(std::to_string(i)), i);
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(vocabulary.find(std::to_string(i)), i);
  for (int i = 100000; i < 200000; ++i) ASSERT_EQ(vocabulary.find(std::to_string(i)), std::nullopt);
}

TEST(Vocabulary, TellsStringsOfOneHashApart) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.add("dog", 7), 0);
  EXPECT_EQ(vocabulary.add("cat", 7), 1);
  EXPECT_EQ(vocabulary.find("cat", 7), 1);
  EXPECT_EQ(vocabulary.find("cow", 7), std::nullopt);
}

TEST(Vocabulary, IsTheSameWhenMapped) {
  const testing::TempDir folder;
  Vocabulary vocabulary;
  for (int i = 0; i < 1000; ++i) vocabulary.add(std::to_string(i * i));
  ArchiveWriter writer("test", 1);
  vocabulary.add_to(writer, "v");
  writer.save(folder / "file");
  const Archive archive(folder / "file", "test", 1);
  const Vocabulary mapped = Vocabulary::view(archive, "v");
  ASSERT_EQ(mapped.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(mapped.find(std::to_string(i * i)), i);
  EXPECT_EQ(mapped.find("2"), std::nullopt);
}

TEST(Vocabulary, RefusesSlotsThatWouldLeadAstray) {
  const testing::TempDir folder;
  EXPECT_ERROR(with_slots(folder, {}), "0 slots for 2 strings");
  EXPECT_ERROR(with_slots(folder, {1, 2}), "2 slots for 2 strings");  // no free one: a search would not end
  EXPECT_ERROR(with_slots(folder, {1, 2, 0}), "3 slots");
  EXPECT_ERROR(with_slots(folder, {1, 3, 0, 0}), "points outside");
  EXPECT_ERROR(with_slots(folder, {1, std::uint64_t{5} << 32, 0, 0}), "points outside");
  EXPECT_ERROR(with_slots(folder, {1, 0, 0, 0}), "1 taken slots");
}

}  // namespace
}  // namespace hasa
