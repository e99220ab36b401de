#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace hasa {

/// A whole file, read-only, mapped into memory. Its bytes stay where they are while it lives, also when it
/// is moved. An empty file is an empty span.
class MappedFile {
 public:
  MappedFile() = default;
  /// Throws data if there is no such file, io if the system refuses.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes a file that appears whole or not at all: bytes go to a temporary neighbour, which commit() syncs
/// and renames. Without commit() the destructor removes it. A link is followed; what is no ordinary file, such
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

/// A folder that appears whole or not at all: fill path(), then commit() renames it to its destination and
/// removes what stood there before. Without commit() the destructor removes it.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& destination);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path destination_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// Whether this is the name of what AtomicFile or AtomicFolder write before they rename it. A process that was killed
/// leaves it behind.
bool is_temporary(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hasa
