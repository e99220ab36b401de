#pragma once

#include <cstddef>
#include <functional>

namespace hasa {

/// How many threads the project's own loops use: usable_cores(), or what set_thread_count said.
std::size_t thread_count();
void set_thread_count(std::size_t count);

/// Calls body(begin, end) over consecutive parts of [0, size), each of at most `grain` items, on up to
/// thread_count() threads: the caller's, and others that sleep between calls. Parts start in order. Returns when all
/// are done; the exception of the earliest part that threw is rethrown here and later parts are not started. May be
/// called from several threads, and from within a part. Where no thread can be started, the caller does all the work.
void parallel_for(std::size_t size, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace hasa
