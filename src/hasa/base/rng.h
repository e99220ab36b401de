#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace hasa {

/// xoshiro256++ (Blackman and Vigna): small, fast, and its whole state is four words, so a run can
/// be resumed exactly. The same on every machine, unlike the distributions of <random>.
class Rng {
 public:
  /// Streams of one seed with different names or numbers are independent: Rng(seed, "shuffle", epoch).
  explicit Rng(std::uint64_t seed, std::string_view stream = "", std::uint64_t number = 0);

  std::uint64_t next();

  /// Uniform in [0, bound), without bias. bound > 0.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1).
  double uniform();

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  using State = std::array<std::uint64_t, 4>;
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace hasa
