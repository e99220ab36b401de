#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace hasa {

/// XXH64 (Collet): the checksum of every binary file the project writes. Not cryptographic.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

/// Hash of a file's content, read in blocks: constant memory, and a file truncated meanwhile is just shorter, where
/// a mapped one would crash the program. Throws data if there is none, io if it cannot be read.
std::uint64_t hash_of_file(const std::filesystem::path& path);

}  // namespace hasa
