#include "hasa/base/persistent_map.h"

#include <map>
#include <string>

#include "hasa/base/memory.h"
#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(PersistentMap, HoldsWhatAMapHolds) {
  Rng rng(5);
  PersistentMap<std::uint64_t> map;
  std::map<std::uint64_t, std::uint64_t> expected;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t key = rng.below(3000), value = rng.below(1000);
    if (rng.below(3) == 0) {
      EXPECT_EQ(map.erase(key), expected.erase(key) == 1);
    } else {
      map.set(key, value);
      expected[key] = value;
    }
  }
  EXPECT_EQ(map.size(), expected.size());
  for (std::uint64_t key = 0; key < 3000; ++key) {
    const std::uint64_t* found = map.find(key);
    ASSERT_EQ(found != nullptr, expected.contains(key)) << key;
    if (found != nullptr) EXPECT_EQ(*found, expected[key]);
  }
  std::map<std::uint64_t, std::uint64_t> visited;
  map.for_each([&](std::uint64_t key, std::uint64_t value) { EXPECT_TRUE(visited.emplace(key, value).second); });
  EXPECT_EQ(visited, expected);
}

TEST(PersistentMap, LeavesOlderVersionsAsTheyWere) {
  std::vector<PersistentMap<std::string>> versions(1);
  for (std::uint64_t i = 0; i < 200; ++i) {
    versions.push_back(versions.back());
    versions.back().set(i % 50, std::to_string(i));
  }
  for (std::size_t version = 0; version < versions.size(); ++version) {
    EXPECT_EQ(versions[version].size(), std::min<std::size_t>(version, 50));
    for (std::uint64_t key = 0; key < 50; ++key) {
      const std::string* found = versions[version].find(key);
      ASSERT_EQ(found != nullptr, key < version) << version << " " << key;
      if (found != nullptr) EXPECT_EQ(*found, std::to_string(key + (version - 1 - key) / 50 * 50));
    }
  }
}

TEST(PersistentMap, SeparatesKeysHoweverSimilar) {
  PersistentMap<int> map;
  for (int bit = 0; bit < 64; ++bit) map.set(std::uint64_t{1} << bit, bit);
  map.set(0, -1);
  for (int bit = 0; bit < 64; ++bit) EXPECT_EQ(*map.find(std::uint64_t{1} << bit), bit);
  EXPECT_EQ(*map.find(0), -1);
  EXPECT_EQ(map.find(3), nullptr);
}

TEST(PersistentMap, ErasesFromOneVersionAlone) {
  PersistentMap<int> map;
  for (int key = 0; key < 100; ++key) map.set(static_cast<std::uint64_t>(key), key);
  const PersistentMap<int> before = map;
  for (std::uint64_t key = 0; key < 100; ++key) EXPECT_TRUE(map.erase(key));
  EXPECT_FALSE(map.erase(0));
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(before.size(), 100U);
  for (int key = 0; key < 100; ++key) EXPECT_EQ(*before.find(static_cast<std::uint64_t>(key)), key);
}

TEST(PersistentMap, GivesBackAllMemoryOfErasedKeys) {
  PersistentMap<std::uint64_t> map;
  for (std::uint64_t key = 0; key < 100; ++key) map.set(key, key);
  const std::int64_t before = allocated_bytes();
  for (std::uint64_t key = 100; key < 20000; ++key) {
    map.set(key, key);
    if (key >= 200) map.erase(key - 100);
  }
  for (std::uint64_t key = 19900; key < 20000; ++key) map.erase(key);
  // Each key takes more than 80 bytes; malloc itself keeps some freed pieces at hand.
  EXPECT_LT(allocated_bytes() - before, 200'000);
  EXPECT_EQ(map.size(), 100U);
}

}  // namespace
}  // namespace hasa
