#pragma once

#include <filesystem>
#include <functional>

namespace hasa {

/// A lock file, held by one process at a time. It avoids
/// doing work twice and does not protect files: if it cannot be
/// created, as in a read-only folder, nothing is held and nobody waits.
class FileLock {
 public:
  /// Waits for the holder. Meanwhile waiting() is called ten times a second; it may throw.
  explicit FileLock(std::filesystem::path path, const std::function<void()>& waiting = {});
  /// Releases it, and removes the file.
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Whether another process held it first, and may have done the work.
  bool waited() const { return waited_; }

 private:
  bool try_lock();

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool waited_ = false;
};

}  // namespace hasa
