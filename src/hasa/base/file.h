#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "hasa/base/input_file.h"
#include "hasa/base/mapped_file.h"

namespace hasa {

/// Writes a file atomically: bytes go to a temporary file beside it, which commit() syncs
/// and renames. Without commit() the destructor removes it. The temporary file is always new and
/// has a random name, so that nobody can plant a link there. A link at
/// `path` itself is followed; anything but an ordinary file, such as /dev/stdout, is written to directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void seek(std::uint64_t offset);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
};

/// A folder that appears atomically: fill path(), then commit() exchanges it with its
/// destination, by one rename if the file system can, and removes the old one. A link at the destination is followed.
/// Without commit() the destructor removes it.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& destination);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  void commit();
  /// Only if there is nothing or an empty folder; otherwise false, and nothing is changed.
  bool commit_where_free();

 private:
  std::filesystem::path destination_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// AtomicFolder's fallback on file systems without exchange: between two renames the folder is missing.
void replace_in_two_steps(const std::filesystem::path& fresh, const std::filesystem::path& destination);

/// Moves a file within a file system, replacing the destination; durable across power failures.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Throws config if `folder`, or a parent, is a dangling link: no folder can
/// be created there, and the system would only say that it is not a directory.
void refuse_dangling_link(const std::filesystem::path& folder);

/// Whether this is the name of a temporary of
/// AtomicFile or AtomicFolder. A killed process leaves them behind.
bool is_temporary(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hasa
