#include "hasa/base/startable_threads.h"

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace hasa {

std::size_t startable_threads(std::size_t wanted) {
  std::latch counted(1);
  std::vector<std::thread> threads;
  threads.reserve(wanted);
  try {
    while (threads.size() < wanted) threads.emplace_back([&counted] { counted.wait(); });
  } catch (const std::system_error&) {
    // As many as there are.
  }
  counted.count_down();
  for (std::thread& thread : threads) thread.join();
  return threads.size();
}

}  // namespace hasa
