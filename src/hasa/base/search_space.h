#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  /// Throws config for a mark that is none, naming `source` and the key.
  static SearchSpace parse(const std::string& yaml, const std::string& source);

  /// The file without what is marked.
  const std::string& fixed() const { return fixed_; }
  /// Dotted keys of the marked options, in the file's order.
  std::vector<std::string> keys() const;
  /// Values drawn for them, as "optimiser.lr=0.0123" each; a function of the generator's state.
  std::vector<std::string> draw(Rng& rng) const;

 private:
  enum class Kind : std::uint8_t { range, log_range, choices };
  struct Mark {
    std::string key;
    Kind kind;
    std::vector<std::string> values;  // both ends of a range, or the choices
  };
  static std::string value_of(const Mark& mark, Rng& rng);

  std::string fixed_;
  std::vector<Mark> marks_;
  friend class MarkReader;
};

}  // namespace hasa
