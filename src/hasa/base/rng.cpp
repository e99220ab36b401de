#include "hasa/base/rng.h"

#include "hasa/base/error.h"
#include "hasa/base/hash.h"

namespace hasa {
namespace {

std::uint64_t rotate_left(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

// SplitMix64: spreads a seed over the state, as the authors of xoshiro advise.
std::uint64_t split_mix(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::string_view stream, std::uint64_t number) {
  std::uint64_t x = seed;
  x = split_mix(x) ^ hash_bytes(stream.data(), stream.size());
  x = split_mix(x) ^ number;
  for (auto& word : state_) word = split_mix(x);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = rotate_left(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  HASA_ASSERT(bound > 0);
  // Lemire's method: the high half of a product is uniform once the few biased low halves are refused.
  unsigned __int128 product = static_cast<unsigned __int128>(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<unsigned __int128>(next()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

}  // namespace hasa
