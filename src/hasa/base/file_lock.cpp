#include "hasa/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace hasa {
namespace {

constexpr auto kBetweenTries = std::chrono::milliseconds(100);

/// Whether the path still leads to the open file: its last holder removes it.
bool is_still_at(int descriptor, const std::filesystem::path& path) {
  struct stat open = {}, there = {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
         open.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(std::filesystem::path path, const std::function<void()>& waiting) : path_(std::move(path)) {
  while (!try_lock()) {
    waited_ = true;
    if (waiting) waiting();
    std::this_thread::sleep_for(kBetweenTries);
  }
}

bool FileLock::try_lock() {
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return true;
    const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_still_at(descriptor_, path_)) return true;
    const bool held = !locked && errno == EWOULDBLOCK;
    ::close(std::exchange(descriptor_, -1));
    if (!locked) return !held;  // a file system without locks
  }
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace hasa
