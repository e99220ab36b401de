#include "hasa/base/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <iterator>
#include <optional>
#include <string>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
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

TEST(AtomicFile, ChoosesATemporaryNameThatNobodyCanPrepare) {
  const TempDir dir;
  const auto name_of_temporary = [&] {
    const AtomicFile file(dir / "a");
    return fs::directory_iterator(dir.path())->path().filename().string();
  };
  const std::string first = name_of_temporary(), second = name_of_temporary();
  EXPECT_NE(first, second);
  for (const std::string& name : {first, second}) {
    EXPECT_THAT(name, ::testing::MatchesRegex("\\.a\\.[0-9a-f]{16}\\.tmp"));
    EXPECT_TRUE(is_temporary(name));
  }
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

/// Whether the folder was there with one of its two contents whenever it was looked for.
bool always_there(const fs::path& folder, const std::atomic<bool>& ended) {
  bool there = true;
  while (!ended) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
    there = there && descriptor >= 0;
    if (descriptor >= 0) ::close(descriptor);
  }
  return there;
}

TEST(AtomicFolder, IsNeverMissingWhileItIsReplaced) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  std::atomic<bool> ended = false;
  std::future<bool> there = std::async(std::launch::async, [&] { return always_there(dir / "run", ended); });
  for (int i = 0; i < 50; ++i) {
    AtomicFolder folder(dir / "run");
    write_file(folder.path() / "number", std::to_string(i));
    folder.commit();
  }
  ended = true;
  EXPECT_TRUE(there.get());
  EXPECT_EQ(read_file(dir / "run/number"), "49");
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFolder, TakesAFreePlaceAndLeavesAnyOtherAlone) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "empty");
  for (const char* name : {"new", "empty"}) {
    AtomicFolder folder(dir / name);
    write_file(folder.path() / "a", "ours");
    EXPECT_TRUE(folder.commit_where_free());
    AtomicFolder late(dir / name);
    write_file(late.path() / "a", "theirs");
    EXPECT_FALSE(late.commit_where_free());
    EXPECT_EQ(read_file(dir / name / "a"), "ours");
  }
  write_file(dir / "file", "a file");
  AtomicFolder folder(dir / "file");
  EXPECT_FALSE(folder.commit_where_free());
  EXPECT_EQ(read_file(dir / "file"), "a file");
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

TEST(ReplaceInTwoSteps, PutsTheNewFolderWhereTheOldOneWas) {
  const TempDir dir;
  for (const char* name : {"first", "second"}) {
    fs::create_directory(dir / "fresh");
    write_file(dir / "fresh/name", name);
    replace_in_two_steps(dir / "fresh", dir / "run");
    EXPECT_EQ(read_file(dir / "run/name"), name);
    EXPECT_EQ(entries_of(dir.path()), 1U);
  }
}

TEST(ReplaceInTwoSteps, PutsTheOldFolderBackWhenTheNewOneCannotTakeItsPlace) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  write_file(dir / "run/old", "x");
  EXPECT_ERROR(replace_in_two_steps(dir / "none", dir / "run"), "cannot create");
  EXPECT_EQ(read_file(dir / "run/old"), "x");
  EXPECT_EQ(entries_of(dir.path()), 1U);
}

TEST(AtomicFolder, SaysThatALinkLeadsNowhere) {
  const TempDir dir;
  fs::create_symlink("gone", dir / "run");
  EXPECT_ERROR(AtomicFolder(dir / "run"), "run is a link to gone, which does not exist");
  EXPECT_ERROR(AtomicFolder(dir / "run/"), "run is a link to gone, which does not exist");
  EXPECT_ERROR(AtomicFolder(dir / "run/inner"), "run is a link to gone, which does not exist");
  fs::create_directory(dir / "gone");
  EXPECT_NO_THROW(AtomicFolder(dir / "run/inner"));
}

TEST(AtomicFolder, SaysWhereItCannotBeMade) {
  const TempDir dir;
  write_file(dir / "file", "x");
  EXPECT_ERROR(AtomicFolder(dir.path() / "file" / "run"), "file/run: Not a directory");
}

}  // namespace
}  // namespace hasa
