#include "hasa/base/archive.h"

#include <cstring>
#include <type_traits>

#include "hasa/base/hash.h"
#include "hasa/base/testing.h"
#include "hasa/base/version.h"

namespace hasa {
namespace {

using testing::TempDir;

const std::vector<std::int32_t> kNumbers{1, -2, 3};
constexpr std::string_view kWords = "some words";

std::string written(const TempDir& dir) {
  ArchiveWriter writer("kind", 3);
  writer.add("numbers", kNumbers);
  writer.add("nothing", std::vector<double>());
  writer.add("words", kWords);
  writer.save(dir / "a.bin");
  return read_file(dir / "a.bin");
}

Archive opened(const std::string& bytes, std::string_view kind = "kind", std::uint32_t version = 3) {
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return Archive(std::vector<std::byte>(first, first + bytes.size()), "a.bin", kind, version);
}

bool content_is_whole(const Archive& archive) {
  const auto numbers = archive.section<std::int32_t>("numbers");
  return std::equal(numbers.begin(), numbers.end(), kNumbers.begin(), kNumbers.end()) &&
         archive.section<double>("nothing").empty() && archive.text("words") == kWords;
}

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Places in the file, from the layout in archive.h.
constexpr std::size_t kSectionCount = 8 + 16 + 4, kHeaderChecksum = 64 - 8, kFirstEntry = 64, kEntrySize = 48;

/// Gives a forged header and table the checksum that fits.
std::string with_right_checksum(std::string bytes, std::size_t sections) {
  put<std::uint64_t>(bytes, kHeaderChecksum, 0);
  const std::uint64_t of_header = hash_bytes(bytes.data(), kFirstEntry);
  put(bytes, kHeaderChecksum, hash_bytes(bytes.data() + kFirstEntry, sections * kEntrySize, of_header));
  return bytes;
}

TEST(Archive, ReturnsWhatWasWrittenFromAFileAndFromMemory) {
  const TempDir dir;
  const std::string bytes = written(dir);
  const Archive mapped(dir / "a.bin", "kind", 3);
  EXPECT_TRUE(content_is_whole(mapped));
  EXPECT_EQ(mapped.written_by(), version());
  EXPECT_TRUE(content_is_whole(opened(bytes)));
}

TEST(Archive, BeginsEverySectionAtAMultipleOf64Bytes) {
  const TempDir dir;
  written(dir);
  const Archive archive(dir / "a.bin", "kind", 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(archive.section<std::int32_t>("numbers").data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(archive.text("words").data()) % 64, 0U);
}

TEST(Archive, MayHoldNoSectionsAtAll) {
  const TempDir dir;
  ArchiveWriter("kind", 1).save(dir / "a.bin");
  EXPECT_ERROR(Archive(dir / "a.bin", "kind", 1).text("words"), "has no section words");
}

TEST(Archive, IsTheSameFileHoweverOftenItIsWritten) {
  const TempDir one, other;
  EXPECT_EQ(written(one), written(other));
}

TEST(Archive, RefusesAFileCutOffAnywhere) {
  const TempDir dir;
  const std::string bytes = written(dir);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_ERROR(opened(bytes.substr(0, length)), length < 64 ? "beginning is lost" : "is cut off");
  }
  EXPECT_ERROR(opened(bytes + "x"), fmt::format("{} bytes of {}", bytes.size() + 1, bytes.size()));
}

TEST(Archive, NoticesAChangeOfAnyByteThatIsRead) {
  const TempDir dir;
  const std::string bytes = written(dir);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    try {
      EXPECT_TRUE(content_is_whole(opened(damaged))) << "byte " << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      ++refused;
    }
  }
  // Header, table and the content of the sections; what is between them is padding.
  EXPECT_EQ(refused, kFirstEntry + 3 * kEntrySize + kNumbers.size() * sizeof(std::int32_t) + kWords.size());
}

TEST(Archive, SaysWhichPartIsDamaged) {
  const TempDir dir;
  std::string bytes = written(dir);
  bytes.back() = '?';
  EXPECT_ERROR(opened(bytes), "a.bin is damaged: section words has another checksum\nwrite it again");
  bytes = written(dir);
  bytes[kFirstEntry] = '?';
  EXPECT_ERROR(opened(bytes), "its table of contents has another checksum");
}

TEST(Archive, RefusesAnotherKindOfFile) {
  const TempDir dir;
  EXPECT_ERROR(opened(written(dir), "graph"), "a.bin holds \"kind\", expected \"graph\"");
  EXPECT_ERROR(opened(std::string(1000, 'x')), "is not a file written by hasa");
}

TEST(Archive, SaysWhoWroteAnotherFormatVersionAndWhatToDo) {
  const TempDir dir;
  EXPECT_ERROR(opened(written(dir), "kind", 4),
               fmt::format("a.bin was written by hasa {0} in format 3, this is hasa {0} with format 4\nwrite it again "
                           "with this version",
                           version()));
}

TEST(Archive, RefusesSectionsThatLieOutsideTheFileThoughTheChecksumFits) {
  const TempDir dir;
  const std::string bytes = written(dir);
  constexpr std::size_t kOffset = kFirstEntry + 24, kSize = kOffset + 8;
  for (const std::uint64_t offset : {std::uint64_t{1} << 20, ~std::uint64_t{63}, std::uint64_t{65}}) {
    std::string forged = bytes;
    put(forged, kOffset, offset);
    EXPECT_ERROR(opened(with_right_checksum(forged, 3)), "section numbers lies outside the file");
  }
  for (const std::uint64_t size : {std::uint64_t{1} << 20, ~std::uint64_t{0}}) {
    std::string forged = bytes;
    put(forged, kSize, size);
    EXPECT_ERROR(opened(with_right_checksum(forged, 3)), "section numbers lies outside the file");
  }
  EXPECT_TRUE(content_is_whole(opened(with_right_checksum(bytes, 3))));
}

TEST(Archive, RefusesMoreSectionsThanFitTheFile) {
  const TempDir dir;
  for (const std::uint32_t count : {100U, 5000U, ~0U}) {
    std::string forged = written(dir);
    put(forged, kSectionCount, count);
    EXPECT_ERROR(opened(forged), "is cut off");
  }
}

TEST(Archive, RefusesAMissingSectionAndOneOfAnotherElementSize) {
  const TempDir dir;
  const Archive archive = opened(written(dir));
  EXPECT_ERROR(archive.text("letters"), "a.bin has no section letters");
  EXPECT_ERROR(archive.section<double>("numbers"), "section numbers has 12 bytes, not a multiple of 8");
}

}  // namespace
}  // namespace hasa
