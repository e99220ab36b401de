#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hasa {

/// Values of options to try, all combinations of them, written as a study's options are: {"loss.beta=0.1|0.3|1",
/// "train.epochs=2|4"}.
class OptionGrid {
 public:
  OptionGrid() = default;
  /// Throws config for one that is not KEY=VALUE|VALUE|..., or a key that is there twice.
  explicit OptionGrid(const std::vector<std::string>& choices);

  /// Of both grids.
  OptionGrid with(const std::vector<std::string>& choices) const;

  std::size_t size() const;
  /// Assignments of one combination; the last option changes fastest.
  std::vector<std::string> at(std::size_t number) const;
  /// `count` different combinations, or all there are, in the grid's order; which ones depends on the seed alone.
  std::vector<std::vector<std::string>> draws(std::size_t count, std::uint64_t seed) const;

  struct Option {
    std::string key;
    std::vector<std::string> values;
  };
  const std::vector<Option>& options() const { return options_; }

 private:
  std::vector<std::string> choices_;
  std::vector<Option> options_;
};

}  // namespace hasa
