#pragma once

#include <cstddef>
#include <functional>

namespace hasa {

/// The number of threads for the project's own loops: usable_cores(), or that of set_thread_count.
std::size_t thread_count();
void set_thread_count(std::size_t count);

/// Calls body(begin, end) over consecutive parts of [0, size), each of at most `grain` items, on up to thread_count()
/// threads: the caller's and those of a pool. Parts start in order. Returns when all are done; the exception of the
/// earliest part that threw is rethrown and later parts are not started. May be called concurrently and recursively. If
/// no thread can be started, the caller does all the work.
void parallel_for(std::size_t size, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace hasa
