#pragma once

#include <cstddef>
#include <functional>

namespace hasa {

/// How many threads the project's own loops use: the cores this process may run on, or what
/// set_thread_count said.
std::size_t thread_count();
void set_thread_count(std::size_t count);

/// Calls body(begin, end) over consecutive parts of [0, size), each of at most `grain` items, on
/// thread_count() threads. Parts start in order. Returns when all are done; the exception of the earliest
/// part that threw is rethrown here and later parts are not started.
void parallel_for(std::size_t size, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace hasa
