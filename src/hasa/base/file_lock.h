#pragma once

#include <filesystem>
#include <functional>

namespace hasa {

/// Held by one process at a time, by way of a file that is there while somebody holds it. It guards work that need not
/// be done twice, not files: where it cannot be had, as in a folder that is read-only, nothing is held and nobody
/// waits.
class FileLock {
 public:
  /// Waits for whoever holds it. Meanwhile waiting() is called ten times a second; it may throw.
  explicit FileLock(std::filesystem::path path, const std::function<void()>& waiting = {});
  /// Gives it back, and removes the file.
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
