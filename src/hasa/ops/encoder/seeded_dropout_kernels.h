#pragma once

#include <cstdint>

#include "hasa/ops/core/philox.h"

namespace hasa::kernels {

/// SeededDropout as kernels see it.
struct DropoutView {
  std::uint32_t threshold;  // draws below it are dropped; 0: no dropout
  float scale;              // for the values that are kept
  std::uint64_t seed;
  const std::int64_t* step;  // or null
  std::uint64_t first = 0;   // group of eight values that a tensor begins with

  /// The counter of the group of values that begins `group` groups into the tensor.
  HASA_HOST_DEVICE std::uint64_t counter(std::int64_t group) const { return first + static_cast<std::uint64_t>(group); }

  HASA_HOST_DEVICE std::uint64_t key() const {
    return step == nullptr ? seed : seed + static_cast<std::uint64_t>(*step);
  }
};

// out [count]: 0 where a value is dropped, else the scale.
void dropout_factors_cpu(const DropoutView& dropout, float* out, std::int64_t count);
void dropout_factors_cuda(const DropoutView& dropout, float* out, std::int64_t count, void* stream);

}  // namespace hasa::kernels
