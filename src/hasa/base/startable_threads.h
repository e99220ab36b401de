#pragma once

#include <cstddef>

namespace hasa {

/// How many more threads this process can have, counted up to `wanted`: starts them and ends them again, since limits
/// lie in several places (ulimit -u, a container's limit of processes, memory for stacks). Takes some 20 us a thread.
std::size_t startable_threads(std::size_t wanted);

}  // namespace hasa
