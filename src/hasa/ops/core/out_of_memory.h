#pragma once

#include <exception>
#include <string_view>

namespace hasa {

/// Throws unavailable if the problem is running out of memory: std::bad_alloc, or what LibTorch's allocators throw for
/// the host (which has no type of its own) and for a GPU. The message says what did not fit, how much was requested and
/// how much there is, and what to try. Returns for any other problem.
///
///   catch (const std::exception& problem) {
///     fail_if_out_of_memory(problem, "a step of 1024 triples", "a smaller train.batch");
///     throw;
///   }
void fail_if_out_of_memory(const std::exception& problem, std::string_view what, std::string_view advice);

}  // namespace hasa
