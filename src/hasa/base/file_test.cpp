#include "hasa/base/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <optional>
#include <utility>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

ErrorKind kind_of_opening(const fs::path& path) {
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

TEST(AtomicFile, ShowsTheNewContentOnlyAfterCommit) {
  const TempDir dir;
  write_file(dir / "a", "old");
  AtomicFile file(dir / "a");
  file.write("the ");
  file.write("new one");
  EXPECT_EQ(read_file(dir / "a"), "old");
  file.commit();
  EXPECT_EQ(read_file(dir / "a"), "the new one");
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TempDir dir;
  write_file(dir / "a", "old");
  {
    AtomicFile file(dir / "a");
    file.write("new");
  }
  EXPECT_EQ(read_file(dir / "a"), "old");
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFile, WritesAtTheOffsetItWasMovedTo) {
  const TempDir dir;
  AtomicFile file(dir / "a");
  file.write("....end");
  file.seek(0);
  file.write("head");
  file.commit();
  EXPECT_EQ(read_file(dir / "a"), "headend");
}

TEST(AtomicFile, SaysWhereItCannotWrite) {
  const TempDir dir;
  EXPECT_ERROR(AtomicFile(dir.path() / "none" / "a"), "none/a: No such file or directory");
}

TEST(AtomicFile, RemovesItsTemporaryWhenTheDestinationIsAFolder) {
  const TempDir dir;
  fs::create_directory(dir / "a");
  EXPECT_ERROR(write_file(dir / "a", "x"), "cannot write");
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFile, FollowsALinkAndLeavesItInPlace) {
  const TempDir dir;
  write_file(dir / "target", "old");
  fs::create_symlink("target", dir / "link");
  write_file(dir / "link", "new");
  EXPECT_EQ(read_file(dir / "target"), "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
}

TEST(AtomicFile, CreatesWhatALinkPointsToWhenNothingIsThereYet) {
  const TempDir dir;
  fs::create_directory(dir / "sub");
  fs::create_symlink("sub/second", dir / "first");
  fs::create_symlink("target", dir / "sub/second");
  write_file(dir / "first", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "first"));
  EXPECT_TRUE(fs::is_symlink(dir / "sub/second"));
  EXPECT_EQ(read_file(dir / "sub/target"), "new");
}

TEST(AtomicFile, NamesTheMissingFolderThatALinkPointsInto) {
  const TempDir dir;
  fs::create_symlink("none/target", dir / "link");
  EXPECT_ERROR(write_file(dir / "link", "new"), "none/target: No such file or directory");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
}

TEST(AtomicFile, RefusesLinksThatGoInACircle) {
  const TempDir dir;
  fs::create_symlink("b", dir / "a");
  fs::create_symlink("a", dir / "b");
  EXPECT_ERROR(write_file(dir / "a", "new"), "Too many levels of symbolic links");
}

TEST(AtomicFile, WritesIntoAPipeInsteadOfTakingItsPlace) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  const int reader = ::open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(dir / "pipe", "words");
  char buffer[8] = {};
  EXPECT_EQ(::read(reader, buffer, sizeof buffer), 5);
  EXPECT_STREQ(buffer, "words");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
}

TEST(AtomicFile, ReportsThatTheSystemTakesNoMoreAndKeepsTheOldContent) {
  const TempDir dir;
  write_file(dir / "a", "old");
  // A limit on the size of files stands for a full disk.
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::optional<Error> error;
  try {
    write_file(dir / "a", std::string(1 << 20, 'x'));
  } catch (const Error& thrown) {
    error = thrown;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal_before);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
  EXPECT_THAT(error->what(), ::testing::HasSubstr("a: File too large"));
  EXPECT_EQ(read_file(dir / "a"), "old");
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFolder, AppearsWholeAndReplacesWhatStoodThere) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  write_file(dir.path() / "run" / "old", "x");
  AtomicFolder folder(dir / "run");
  write_file(folder.path() / "new", "y");
  EXPECT_TRUE(fs::exists(dir.path() / "run" / "old"));
  folder.commit();
  EXPECT_EQ(read_file(dir.path() / "run" / "new"), "y");
  EXPECT_FALSE(fs::exists(dir.path() / "run" / "old"));
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFolder, LeavesNothingBehindWithoutCommit) {
  const TempDir dir;
  {
    const AtomicFolder folder(dir / "run");
    write_file(folder.path() / "a", "x");
  }
  EXPECT_EQ(entries_of(dir.path()), 0U);
}

TEST(AtomicFolder, MakesTheFoldersAboveItAndTakesATrailingSlash) {
  const TempDir dir;
  AtomicFolder folder(dir / "deep/er/run/");
  write_file(folder.path() / "a", "x");
  folder.commit();
  EXPECT_EQ(read_file(dir / "deep/er/run/a"), "x");
}

TEST(AtomicFolder, PutsTheOldFolderBackWhenTheNewOneCannotTakeItsPlace) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  write_file(dir.path() / "run" / "old", "x");
  AtomicFolder folder(dir / "run");
  fs::remove_all(folder.path());  // as if someone had cleaned up
  EXPECT_ERROR(folder.commit(), "cannot create");
  EXPECT_EQ(read_file(dir.path() / "run" / "old"), "x");
}

TEST(AtomicFolder, SaysWhereItCannotBeMade) {
  const TempDir dir;
  write_file(dir / "file", "x");
  EXPECT_ERROR(AtomicFolder(dir.path() / "file" / "run"), "file/run: Not a directory");
}

}  // namespace
}  // namespace hasa
