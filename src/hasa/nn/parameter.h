#pragma once

#include <vector>

#include "hasa/nn/named_tensor.h"

namespace hasa {

/// The kind of a parameter, since each kind has its own learning rate.
enum class ParameterKind { language_model, new_layer, scale };

/// A trained weight: the float32 tensor an optimiser updates and checkpoints store.
struct Parameter {
  std::string name;
  torch::Tensor tensor;
  ParameterKind kind;
  Rows rows = Rows::fixed;
  std::int64_t whole_rows = 0;  // as of a NamedTensor
};
using Parameters = std::vector<Parameter>;

inline void append(Parameters& list, const std::string& prefix, const NamedTensors& more, ParameterKind kind) {
  for (const NamedTensor& each : more)
    list.push_back({prefix + "." + each.name, each.tensor, kind, each.rows, each.whole_rows});
}

inline Parameters of_kind(ParameterKind kind, const NamedTensors& tensors) {
  Parameters list;
  for (const NamedTensor& each : tensors)
    list.push_back({each.name, each.tensor, kind, each.rows, each.whole_rows});
  return list;
}

inline NamedTensors named(const Parameters& parameters) {
  NamedTensors list;
  for (const Parameter& each : parameters) list.push_back({each.name, each.tensor, each.rows, each.whole_rows});
  return list;
}

}  // namespace hasa
