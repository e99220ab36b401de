#pragma once

// How kernels are started. launch() holds the only <<<>>> of the project, so that none goes unchecked
// (tests/check_includes.py looks). For .cu files alone.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "hasa/ops/core/launch.h"

namespace hasa::kernels {

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // beyond what the kernel declares
};

/// Blocks for so many items. More than a grid can hold become a number that no grid can hold, which launch() reports.
inline unsigned blocks_for(std::int64_t items, std::int64_t items_per_block) {
  const std::int64_t blocks = (items + items_per_block - 1) / items_per_block;
  return blocks < std::int64_t{0xffffffff} ? static_cast<unsigned>(blocks) : 0xffffffffU;
}

/// Starts kernel(arguments...) on the stream, unless the grid is empty. Throws hasa::Error with the kernel's name and
/// launch shape where it does not start. The kernel runs later: what goes wrong then is found by a later launch.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, void* stream, const Arguments&... arguments) {
  const auto& [grid, block, shared_bytes] = shape;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  kernel<<<grid, block, shared_bytes, static_cast<cudaStream_t>(stream)>>>(arguments...);
  const cudaError_t error = cudaGetLastError();  // taken off, or the next check would meet it again
  if (error == cudaSuccess) return;
  fail_launch(reinterpret_cast<const void*>(kernel),
              {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes}, error);
}

/// For calls of CUDA beside launches: check_cuda("clear a gradient", cudaMemsetAsync(...)).
inline void check_cuda(const char* what, cudaError_t error) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  fail_cuda(what, error);
}

}  // namespace hasa::kernels
