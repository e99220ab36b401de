#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace hasa {

/// An ordinary file that is read. Throws data when there is none or it is a folder or a pipe, io when the system
/// refuses.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads as much of `into` as there is left, and says how much; 0 at the end.
  std::size_t read(std::span<std::byte> into);
  /// As it was opened.
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace hasa
