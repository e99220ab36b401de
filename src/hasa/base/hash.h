#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace hasa {

/// XXH64 (Collet): the checksum of every binary file the project writes. Not cryptographic.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

/// hash_bytes of what comes in parts.
class HashOfParts {
 public:
  explicit HashOfParts(std::uint64_t seed = 0);
  ~HashOfParts();

  void add(const void* data, std::size_t size);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Hash of a file's content, read in blocks: constant memory, and a file truncated meanwhile is just shorter, where
/// a mapped one would crash the program. Throws data if there is none, io if it cannot be read.
std::uint64_t hash_of_file(const std::filesystem::path& path);

}  // namespace hasa
