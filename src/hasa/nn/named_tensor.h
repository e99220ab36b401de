#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hasa {

/// What the rows of a tensor stand for, and so how it grows when entities and relations are added to its graph.
enum class Rows : std::uint8_t {
  fixed,     ///< nothing of the graph's: it does not grow
  appended,  ///< entities, or relations: new ones come last
  directed,  ///< relations, then their inverses: new ones come last in either half
  of_steps,  ///< the steps of training on one graph: of no use on another
};

/// A parameter under the name it has in checkpoints.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
  Rows rows = Rows::fixed;
  std::int64_t whole_rows = 0;  // if it is sharded, a part of the rows on each process (Comm::share_of): how many rows
                                // there are in all

  bool sharded() const { return whole_rows > 0; }
};

using NamedTensors = std::vector<NamedTensor>;

/// Appends `more` with "prefix." before each name.
inline void append(NamedTensors& list, const std::string& prefix, const NamedTensors& more) {
  for (const NamedTensor& each : more)
    list.push_back({prefix + "." + each.name, each.tensor, each.rows, each.whole_rows});
}

}  // namespace hasa
