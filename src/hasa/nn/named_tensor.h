#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hasa {

/// A parameter under the name it has in checkpoints.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
  std::int64_t whole_rows = 0;  // if it is sharded, a part of the rows on each process (Comm::share_of): how many rows
                                // there are in all

  bool sharded() const { return whole_rows > 0; }
};

using NamedTensors = std::vector<NamedTensor>;

/// Appends `more` with "prefix." before each name.
inline void append(NamedTensors& list, const std::string& prefix, const NamedTensors& more) {
  for (const NamedTensor& each : more) list.push_back({prefix + "." + each.name, each.tensor, each.whole_rows});
}

}  // namespace hasa
