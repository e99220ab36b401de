#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace hasa {

/// A parameter under the name it has in checkpoints.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

using NamedTensors = std::vector<NamedTensor>;

/// Appends `more` with "prefix." before each name.
inline void append(NamedTensors& list, const std::string& prefix, const NamedTensors& more) {
  for (const NamedTensor& each : more) list.push_back({prefix + "." + each.name, each.tensor});
}

}  // namespace hasa
