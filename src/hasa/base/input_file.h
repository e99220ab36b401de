#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace hasa {

/// An ordinary file opened for reading. Throws data if there is none
/// or it is a folder or a pipe, io if the system refuses.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads up to into.size() bytes and returns the number read; 0 at the end.
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
