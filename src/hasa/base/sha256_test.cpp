#include "hasa/base/sha256.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Sha256, GivesTheStandardsOwnExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const testing::TempDir folder;
  for (const std::size_t size : {0, 1, 55, 56, 63, 64, 65, 1 << 20, (1 << 20) + 57}) {
    const std::string bytes(size, 'x');
    write_file(folder / "f", bytes);
    EXPECT_EQ(sha256_of_file(folder / "f"), sha256(bytes));
  }
  EXPECT_ERROR(sha256_of_file(folder / "nothing"), "nothing");
}

}  // namespace
}  // namespace hasa
