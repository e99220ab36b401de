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

/// A config file in which some values are marked as ranges to search:
///
///   optimiser:
///     lr: {log_range: [1e-4, 1e-1]}     evenly over its logarithm
///   tables:
///     entity_dropout: {range: [0, 0.5]} evenly; between two integers, an integer
///   model:
///     dim: {choices: [128, 256, 512]}   one of them
class SearchSpace {
 public:
  /// Throws config for a mark that is none, naming `source`, the line and the key.
  static SearchSpace parse(const std::string& yaml, const std::string& source);

  /// Sets the options that are not marked, as apply_yaml does.
  void apply_fixed(const Fields& fields) const;
  /// Throws config when the options cannot take what is marked, naming the mark's line; the fields, which are of a
  /// config to try it on, are left with one of the values each.
  void check(const Fields& fields) const;

  /// Dotted keys of the marked options, in the file's order.
  const std::vector<std::string>& keys() const { return keys_; }
  /// How many draws differ; nullopt where a range has more values than can be told apart.
  std::optional<std::uint64_t> size() const;
  /// Values drawn for them, as "optimiser.lr=0.0123" each; a function of the generator's state.
  std::vector<std::string> draw(Rng& rng) const;
  /// `count` draws of which no two are equal, or all there are. The first i are the same for any count.
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
