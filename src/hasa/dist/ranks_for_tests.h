#pragma once

// The ranks of a job as threads of one process, for tests; never included by the library.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/dist/job.h"

#define HASA_NEEDS_DIST() \
  if (!can_join_jobs()) GTEST_SKIP() << "built without c10d"

namespace hasa::testing {

inline std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0;
  HASA_ASSERT(bound && ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

/// Runs the ranks of a job as threads of this process. What c10d records of past calls is one for all of a process, and
/// made for one thread at a time: it is switched off.
inline void in_ranks(int size, const std::function<void(Comm&)>& work) {
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  const std::uint16_t port = free_port();
  std::vector<std::exception_ptr> problems(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto comm = join_job({.rank = rank, .size = size, .port = port});
        work(*comm);
      } catch (...) {
        problems[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

}  // namespace hasa::testing
