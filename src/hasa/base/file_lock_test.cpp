#include "hasa/base/file_lock.h"

#include <sys/stat.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using testing::TempDir;

TEST(FileLock, LeavesNoFileBehind) {
  const TempDir dir;
  {
    const FileLock lock(dir / "a.lock");
    EXPECT_TRUE(std::filesystem::exists(dir / "a.lock"));
    EXPECT_FALSE(lock.waited());
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TempDir dir;
  std::atomic<int> holders = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 3; ++j) {
        const FileLock lock(dir / "a.lock");
        most = std::max(most.load(), ++holders);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --holders;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(most, 1);
}

TEST(FileLock, TellsThatItWaitedAndLetsTheWaitBeEndedByAnError) {
  const TempDir dir;
  const FileLock held(dir / "a.lock");
  int calls = 0;
  EXPECT_THROW(FileLock(dir / "a.lock",
                        [&] {
                          if (++calls == 2) throw std::runtime_error("stop");
                        }),
               std::runtime_error);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(std::filesystem::exists(dir / "a.lock"));
}

TEST(FileLock, IsTakenFromAProcessThatWasKilledAndLeftItsFile) {
  const TempDir dir;
  write_file(dir / "a.lock", "");
  const FileLock lock(dir / "a.lock");
  EXPECT_FALSE(lock.waited());
}

TEST(FileLock, HoldsNothingWhereItCannotBeMade) {
  const TempDir dir;
  const FileLock in_no_folder(dir.path() / "none" / "a.lock");
  EXPECT_FALSE(in_no_folder.waited());
  std::filesystem::create_symlink(dir / "elsewhere", dir / "link.lock");
  const FileLock through_a_link(dir / "link.lock");
  EXPECT_FALSE(std::filesystem::exists(dir / "elsewhere"));
}

}  // namespace
}  // namespace hasa
