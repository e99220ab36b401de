#pragma once

#include <cstddef>

namespace hasa {

/// Limits LibTorch's threads, which default to all of the machine's cores, to
/// the cores this process may use. OMP_NUM_THREADS and MKL_NUM_THREADS take precedence if set.
void use_as_many_threads_as_cores();

/// Computes with `count` threads, or, with a warning, with as many as can be started: LibTorch waits forever for a
/// thread that could not be started, and OpenMP ends the process.
void use_threads(std::size_t count);

}  // namespace hasa
