#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace hasa {

/// A whole file, read-only. Its bytes stay in place while it lives, even if it is moved,
/// and are 64-byte aligned. An empty file is an empty span. A large
/// file is mapped; a smaller one is read, so that later changes do not matter.
class MappedFile {
 public:
  static constexpr std::size_t kMappedFrom = std::size_t{16} << 20;

  MappedFile() = default;
  /// Throws data if there is no such file, io if the system refuses.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;  // mapped or not, as its size says
  std::size_t size_ = 0;
};

/// A mapped file that another process truncates, or whose disk fails, has unreadable pages: touching one raises
/// SIGBUS, which ends the program silently. After this call `end` is called instead, with the file's name.
/// It runs inside the signal handler, on any thread, so it may only write and end the program.
void on_lost_page(void (*end)(const char* file));

}  // namespace hasa
