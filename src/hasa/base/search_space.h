#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/base/rng.h"

namespace hasa {

/// A config file in which some values are marked for tuning:
///
///   optimiser:
///     lr: {log_range: [1e-4, 1e-1]}     evenly over its logarithm
///   tables:
///     entity_dropout: {range: [0, 0.5]} evenly; between two integers, an integer
///   model:
///     dim: {choices: [128, 256, 512]}   one of them
class SearchSpace {
 public:
  /// Throws config for an invalid mark, naming `source`, the line and the key.
  static SearchSpace parse(const std::string& yaml, const std::string& source);

  /// Sets the unmarked options, as apply_yaml does.
  void apply_fixed(const Fields& fields) const;
  /// Throws config if a marked value is invalid for its option, naming the mark's
  /// line; `fields`, of a scratch config, are left with one of the values each.
  void check(const Fields& fields) const;

  /// Dotted keys of the marked options, in the file's order.
  const std::vector<std::string>& keys() const { return keys_; }
  /// The number of distinct draws; nullopt if a range is practically continuous.
  std::optional<std::uint64_t> size() const;
  /// Random values, as "optimiser.lr=0.0123" each; a function of the generator's state.
  std::vector<std::string> draw(Rng& rng) const;
  /// `count` distinct draws, or all there are. The first i are the same for any count.
  std::vector<std::vector<std::string>> distinct_draws(std::size_t count, std::uint64_t seed) const;

 private:
  enum class Kind : std::uint8_t { range, log_range, choices };
  struct Mark {
    std::string key, place;
    Kind kind;
    std::vector<std::string> values;  // both ends of a range, or the choices, each once
  };
  static std::optional<std::uint64_t> size_of(const Mark& mark);
  static std::string value_of(const Mark& mark, Rng& rng);

  struct Rest;

  std::shared_ptr<const Rest> rest_;
  std::vector<Mark> marks_;
  std::vector<std::string> keys_;
  friend class MarkReader;
};

}  // namespace hasa
