#include "hasa/base/hash.h"

#define XXH_INLINE_ALL  // all of it here: nothing to link, and nothing to carry to another machine
#include <xxhash.h>

#include <vector>

#include "hasa/base/input_file.h"

namespace hasa {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) { return XXH64(data, size, seed); }

std::uint64_t hash_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kPart = std::size_t{256} << 10;  // stays in the second cache between reading and hashing
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  std::vector<std::byte> part(kPart);
  InputFile file(path);
  while (const std::size_t size = file.read(part)) XXH64_update(&state, part.data(), size);
  return XXH64_digest(&state);
}

}  // namespace hasa
