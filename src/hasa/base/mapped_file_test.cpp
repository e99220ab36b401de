#include "hasa/base/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using testing::TempDir;

ErrorKind kind_of_opening(const std::filesystem::path& path) {
  try {
    const MappedFile file(path);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << path << " could be opened";
  return {};
}

TEST(MappedFile, ShowsTheBytesOfAFileAlsoAfterAMove) {
  const TempDir dir;
  write_file(dir / "a", std::string_view("x\0y", 3));
  MappedFile file(dir / "a");
  EXPECT_EQ(file.text(), std::string_view("x\0y", 3));
  EXPECT_EQ(file.bytes().size(), 3U);
  const char* const before = file.text().data();
  MappedFile moved = std::move(file);
  MappedFile assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.text().data(), before);
  EXPECT_EQ(assigned.text(), std::string_view("x\0y", 3));
}

TEST(MappedFile, TakesAnEmptyFileForAnEmptySpan) {
  const TempDir dir;
  write_file(dir / "a", "");
  EXPECT_TRUE(MappedFile(dir / "a").bytes().empty());
}

TEST(MappedFile, CallsAMissingFileAMistakeInTheData) {
  const TempDir dir;
  EXPECT_ERROR(MappedFile(dir / "none"), "none: No such file or directory");
  EXPECT_EQ(kind_of_opening(dir / "none"), ErrorKind::data);
  write_file(dir / "a", "x");
  EXPECT_EQ(kind_of_opening(dir.path() / "a" / "b"), ErrorKind::data);
}

TEST(MappedFile, RefusesAFolder) {
  const TempDir dir;
  EXPECT_ERROR(MappedFile(dir.path()), "is a folder, expected a file");
  EXPECT_EQ(kind_of_opening(dir.path()), ErrorKind::data);
}

TEST(MappedFile, RefusesAPipeWithoutWaitingForAWriter) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(MappedFile(dir / "pipe"), "is not a regular file");
}

/// Reads the last byte of a mapped file that has lost its second half.
[[noreturn]] void read_what_was_cut_off(const std::filesystem::path& path, std::size_t size) {
  on_lost_page([](const char* file) {
    std::fprintf(stderr, "lost: %s\n", file);
    std::_Exit(7);
  });
  const MappedFile file(path);
  const MappedFile moved = MappedFile(path);
  if (::truncate(path.c_str(), 10) != 0) std::_Exit(8);
  const volatile auto* last = reinterpret_cast<const volatile char*>(moved.bytes().data()) + size - 1;
  (void)*last;
  std::_Exit(9);
}

TEST(MappedFile, CutShortWhileItIsReadEndsAsTheProgramSaidAndNamesTheFile) {
  const TempDir dir;
  constexpr std::size_t kSize = MappedFile::kMappedFrom;
  write_file(dir / "cut.bin", "x");
  ASSERT_EQ(::truncate((dir / "cut.bin").c_str(), kSize), 0);  // takes no room on the disk
  EXPECT_EXIT(read_what_was_cut_off(dir / "cut.bin", kSize), ::testing::ExitedWithCode(7), "lost: .*cut.bin");
}

TEST(MappedFile, KeepsWhatASmallFileHeldWhateverIsDoneToItAfterwards) {
  const TempDir dir;
  const std::string text(100'000, 'x');
  write_file(dir / "a", text);
  const MappedFile file(dir / "a");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % 64, 0U);
  ASSERT_EQ(::truncate((dir / "a").c_str(), 10), 0);
  EXPECT_EQ(file.text(), text);
}

TEST(MappedFile, LeavesOtherBusErrorsToTheSystem) {
  EXPECT_EXIT(
      {
        on_lost_page([](const char*) { std::_Exit(7); });
        std::raise(SIGBUS);
        std::raise(SIGBUS);
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace hasa
