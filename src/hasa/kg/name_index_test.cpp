#include "hasa/kg/name_index.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

const std::vector<std::string> kNames = {"Dog", "cat", "dog", "Émile", "DOG"};

NameIndex index_of_names() {
  return NameIndex::build(static_cast<EntityId>(kNames.size()), [](EntityId e) { return std::string_view(kNames[e]); });
}

TEST(NameIndex, FindsEntitiesInAnyCaseByRisingId) {
  const NameIndex index = index_of_names();
  EXPECT_THAT(index.candidates("dOg"), ::testing::ElementsAre(0, 2, 4));
  EXPECT_THAT(index.candidates("ÉMILE"), ::testing::ElementsAre(3));
  EXPECT_THAT(index.candidates("cow"), ::testing::IsEmpty());
}

TEST(NameIndex, IsTheSameWhenViewed) {
  const NameIndex index = index_of_names();
  EXPECT_THAT(NameIndex::view(index.entries(), 5, "file").candidates("dog"), ::testing::ElementsAre(0, 2, 4));
}

TEST(NameIndex, RefusesEntriesThatAreNoIndex) {
  const std::vector<std::uint64_t> unsorted = {1, 0}, outside = {0, 2}, twice = {1, 1};
  EXPECT_ERROR(NameIndex::view(unsorted, 2, "file"), "entry 1");
  EXPECT_ERROR(NameIndex::view(outside, 2, "file"), "entry 1");
  EXPECT_ERROR(NameIndex::view(twice, 2, "file"), "entry 1");
  EXPECT_ERROR(NameIndex::view(unsorted, 3, "file"), "2 entries in the index of names for 3 entities");
}

}  // namespace
}  // namespace hasa
