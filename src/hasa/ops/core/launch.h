#pragma once

#include <cstddef>
#include <string>

// The error message of a failed kernel launch. Free of CUDA and of torch: .cu files, which launch.cuh brings here,
// compile in a second, and a machine without a GPU tests the words.

namespace hasa::kernels {

struct GridSize {
  unsigned x = 1, y = 1, z = 1;
};

/// A launch in numbers: blocks of a grid, threads of a block, and shared memory beyond what the kernel itself declares.
struct LaunchSize {
  GridSize grid, block;
  std::size_t shared_bytes = 0;
};

/// "the GPU did not start rank_kernel (grid 3 x 1 x 1, ...): invalid configuration argument". A launch also reports
/// what an earlier kernel did wrong while it ran: `is_own` is false where the error can only be such a one.
std::string launch_error_text(const std::string& kernel, const LaunchSize& size, const std::string& reason,
                              bool is_own);

/// Throws hasa::Error with the kernel's name and that text; error is a cudaError_t.
[[noreturn]] void fail_launch(const void* kernel, const LaunchSize& size, int error);

/// Throws hasa::Error: "the GPU did not <what>: <reason>".
[[noreturn]] void fail_cuda(const char* what, int error);

}  // namespace hasa::kernels
