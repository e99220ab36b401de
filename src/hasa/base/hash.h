#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace hasa {

/// XXH64 (Collet): the checksum of every binary file the project writes. Not cryptographic.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

/// Of a file's content, read in parts: memory of one part, and a file that is cut short meanwhile is a shorter file,
/// where a mapped one would end the program. Throws data when there is none, io when the system cannot read it.
std::uint64_t hash_of_file(const std::filesystem::path& path);

}  // namespace hasa
