#include "hasa/base/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr std::size_t kBlock = 64;

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t read_word(const unsigned char* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

class Sha256 {
 public:
  void add_blocks(const unsigned char* data, std::size_t blocks) {
    for (; blocks > 0; --blocks, data += kBlock) mix(data);
  }

  std::string finish(const unsigned char* rest, std::size_t size, std::uint64_t total) {
    std::array<unsigned char, 2 * kBlock> last{};
    if (size > 0) std::memcpy(last.data(), rest, size);
    last[size] = 0x80;
    const std::size_t blocks = size + 9 <= kBlock ? 1 : 2;
    for (std::size_t i = 0; i < 8; ++i)
      last[blocks * kBlock - 1 - i] = static_cast<unsigned char>(total * 8 >> (8 * i));
    add_blocks(last.data(), blocks);
    std::string text;
    for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
    return text;
  }

 private:
  void mix(const unsigned char* block) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i) w[i] = read_word(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const std::uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + one;
      d = c;
      c = b;
      b = a;
      a = one + two;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  const std::size_t whole = bytes.size() / kBlock;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  hash.add_blocks(data, whole);
  return hash.finish(data + whole * kBlock, bytes.size() % kBlock, bytes.size());
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  HASA_CHECK(file.good(), data, "cannot read {}", path.string());
  // Not mapped: pages of a mapped file would count as memory of this process.
  std::vector<unsigned char> part(std::size_t{1} << 20);
  Sha256 hash;
  std::uint64_t total = 0;
  for (;;) {
    file.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
    const auto size = static_cast<std::size_t>(file.gcount());
    total += size;
    hash.add_blocks(part.data(), size / kBlock);
    if (size == part.size()) continue;
    HASA_CHECK(!file.bad(), io, "cannot read {}", path.string());
    return hash.finish(part.data() + size / kBlock * kBlock, size % kBlock, total);
  }
}

}  // namespace hasa
