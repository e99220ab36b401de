#pragma once

namespace hasa {

/// Limits LibTorch's threads, which default to all of the machine's cores, to
/// the cores this process may use. OMP_NUM_THREADS and MKL_NUM_THREADS take precedence if set.
void use_as_many_threads_as_cores();

}  // namespace hasa
