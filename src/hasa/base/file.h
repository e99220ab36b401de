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

/// Writes a file that appears whole or not at all: bytes go to a temporary neighbour, which commit() syncs
/// and renames. Without commit() the destructor removes it. The neighbour is always a new file with a random name, so
/// that nobody can lay a link in its way. A link at `path` itself is followed; what is no ordinary file, such
/// as /dev/stdout, is written to directly.
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

/// A folder that appears whole or not at all: fill path(), then commit() exchanges it with what stands at its
/// destination, by one rename where the file system can, and removes the old. A link at the destination is followed.
/// Without commit() the destructor removes it.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& destination);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  void commit();
  /// Where nothing stands, or an empty folder; false, and nothing changed, where anything else does by now.
  bool commit_where_free();

 private:
  std::filesystem::path destination_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// What AtomicFolder does on a file system that knows no exchange: between two renames the folder is missing.
void replace_in_two_steps(const std::filesystem::path& fresh, const std::filesystem::path& destination);

/// Moves a file within a file system, over what stood there; the change survives a power cut.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Throws config when `folder`, or one it lies in, is a link to nothing: no folder can be made there, and the system
/// would say only that it is no directory.
void refuse_dangling_link(const std::filesystem::path& folder);

/// Whether this is the name of what AtomicFile or AtomicFolder write before they rename it. A process that was killed
/// leaves it behind.
bool is_temporary(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hasa
