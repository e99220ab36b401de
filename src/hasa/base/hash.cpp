#include "hasa/base/hash.h"

#define XXH_INLINE_ALL  // all of it here: nothing to link, and nothing to carry to another machine
#include <xxhash.h>

#include <vector>

#include "hasa/base/input_file.h"

namespace hasa {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) { return XXH64(data, size, seed); }

struct HashOfParts::State {
  XXH64_state_t of_parts;
};

HashOfParts::HashOfParts(std::uint64_t seed) : state_(std::make_unique<State>()) {
  XXH64_reset(&state_->of_parts, seed);
}
HashOfParts::~HashOfParts() = default;

void HashOfParts::add(const void* data, std::size_t size) {
  if (size > 0) XXH64_update(&state_->of_parts, data, size);
}
std::uint64_t HashOfParts::value() const { return XXH64_digest(&state_->of_parts); }

std::uint64_t hash_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kPart = std::size_t{256} << 10;  // stays in the second cache between reading and hashing
  HashOfParts hash;
  std::vector<std::byte> part(kPart);
  InputFile file(path);
  while (const std::size_t size = file.read(part)) hash.add(part.data(), size);
  return hash.value();
}

}  // namespace hasa
