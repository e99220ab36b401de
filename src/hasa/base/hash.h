#pragma once

#include <cstddef>
#include <cstdint>

namespace hasa {

/// XXH64 (Collet): the checksum of every binary file the project writes. Not cryptographic.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

}  // namespace hasa
