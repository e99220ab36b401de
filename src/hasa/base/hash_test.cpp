#include "hasa/base/hash.h"

#include <string>
#include <string_view>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return hash_bytes(text.data(), text.size(), seed);
}

// Published values of XXH64, from its specification and the bindings' documentation.
TEST(HashBytes, IsXxh64) {
  EXPECT_EQ(hash_of(""), 0xEF46DB3751D8E999ULL);
  EXPECT_EQ(hash_of("a"), 0xD24EC4F1A98C6E5BULL);
  EXPECT_EQ(hash_of("abc"), 0x44BC2CF5AD770999ULL);
  EXPECT_EQ(hash_of("xxhash", 20141025), 13067679811253438005ULL);
  // 39 bytes: a full block of four lanes, a word of four bytes and three single ones.
  EXPECT_EQ(hash_of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1ULL);
}

TEST(HashBytes, DoesNotDependOnWhereTheBytesLie) {
  const std::string text(100, 'x');
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string moved = std::string(shift, ' ') + text;
    EXPECT_EQ(hash_of(std::string_view(moved).substr(shift)), hash_of(text));
  }
}

TEST(HashOfParts, IsThatOfTheWholeHoweverItIsCut) {
  const std::string text = "Nobody inspects the spammish repetition";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    HashOfParts hash(7);
    hash.add(text.data(), cut);
    hash.add(text.data() + cut, text.size() - cut);
    EXPECT_EQ(hash.value(), hash_of(text, 7)) << cut;
  }
}

TEST(HashOfFile, IsThatOfItsBytesWhateverTheSize) {
  const testing::TempDir dir;
  for (const std::size_t size : {0UL, 1UL, 1000UL, 262'144UL, 262'145UL, 1'000'000UL}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31);
    write_file(dir / "a", text);
    EXPECT_EQ(hash_of_file(dir / "a"), hash_of(text)) << size;
  }
  EXPECT_ERROR(hash_of_file(dir / "none"), "none: No such file or directory");
}

}  // namespace
}  // namespace hasa
