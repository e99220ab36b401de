#pragma once

namespace hasa {

/// LibTorch takes all of the machine's cores, of which a container may have fewer: its threads are limited to those
/// that this process may use. OMP_NUM_THREADS and MKL_NUM_THREADS, where the user has set them, stay in effect.
void use_as_many_threads_as_cores();

}  // namespace hasa
